/** The address of KServe's `serving.kserve.io/v1beta1` InferenceServices. The types below have the parts that Slipway writes and reads. */
export const KSERVE = { group: 'serving.kserve.io', version: 'v1beta1', plural: 'inferenceservices' };

export interface Metadata {
  name: string;
  uid?: string;
  resourceVersion?: string;
  deletionTimestamp?: string | Date;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface Secret {
  apiVersion?: string;
  kind?: string;
  type?: string;
  metadata: Metadata;
  /** The values in base64. */
  data?: Record<string, string>;
}

export interface InferenceService {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec: object;
  status?: InferenceServiceStatus;
}

export interface InferenceServiceStatus {
  conditions?: Condition[];
  /** The address from outside of the cluster. */
  url?: string;
  /** The address in the cluster. */
  address?: { url?: string };
  modelStatus?: {
    transitionStatus?: '' | 'UpToDate' | 'InProgress' | 'BlockedByFailedLoad' | 'InvalidSpec';
    states?: { activeModelState?: ModelState; targetModelState?: ModelState };
    lastFailureInfo?: FailureInfo;
  };
}

export type ModelState = '' | 'Pending' | 'Standby' | 'Loading' | 'Loaded' | 'FailedToLoad';

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
}

export interface FailureInfo {
  reason?: string;
  message?: string;
  exitCode?: number;
}
