import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Role } from 'kubernetes-models/rbac.authorization.k8s.io/v1/Role';
import { RoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1/RoleBinding';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import type { KubernetesObject } from './cluster.js';

/** The kinds of Kubernetes and of the operator of Prometheus, each with its schema. */
const KINDS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  PrometheusRule,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
  ServiceMonitor,
];

/**
 * Returns what a cluster would refuse of an object. The schemas themselves allow unknown fields, so each field has to be
 * one that the validation has looked at.
 */
export function faultsOf(object: KubernetesObject): string[] {
  const kind = KINDS.find((each) => each.is(object));
  if (!kind) return [`There is no schema of ${object.apiVersion} ${object.kind}.`];
  const unread = new Set<string>();
  const validating = Object.setPrototypeOf(watched(object, '', unread), kind.prototype) as { validate(): void };
  try {
    validating.validate();
  } catch (error) {
    return [String(error)];
  }
  return [...unread].map((path) => `${path} is unknown`);
}

/** Copies a value so that it forgets each path of `unread` that is read. */
function watched(value: unknown, path: string, unread: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((each, index) => watched(each, `${path}/${index}`, unread));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) {
    unread.add(`${path}/${key}`);
    copy[key] = watched(each, `${path}/${key}`, unread);
  }
  return new Proxy(copy, {
    get(target, key): unknown {
      unread.delete(`${path}/${String(key)}`);
      return Reflect.get(target, key);
    },
  });
}
