{{/* Whether a pool asks the cluster to serve models: `true` or nothing. Arguments: root, pool, queues. */}}
{{- define "slipway.hostsInCluster" -}}
{{- if and .root.Values.models.kubernetes.enabled .queues (ne "none" (toString .pool.settings.MODEL_HOST)) }}true{{ end }}
{{- end }}

{{- define "slipway.modelsAccount" -}}
{{- if .Values.serviceAccount.create }}{{ include "slipway.fullname" . }}-models{{ else }}{{ .Values.models.kubernetes.serviceAccountName }}{{ end }}
{{- end }}

{{/* The settings that follow from models.kubernetes, as YAML. */}}
{{- define "slipway.modelSettings" -}}
{{- with .Values.models.kubernetes }}
{{- if .enabled }}
MODEL_HOST: kubernetes
KUBERNETES_NAMESPACE: {{ .namespace | quote }}
KUBERNETES_IMAGE: {{ default (include "slipway.image" $) .image | quote }}
KUBERNETES_MODE: {{ .mode }}
{{- with .gpuResource }}
KUBERNETES_GPU_RESOURCE: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.models" -}}
{{- $values := .Values }}
{{- with $values.models.kubernetes }}
{{- if .enabled }}
{{- if not .namespace }}
models.kubernetes.namespace is missing. Make a namespace that only this installation uses, and name it here.
{{- end }}
{{- if eq .namespace $.Release.Namespace }}
models.kubernetes.namespace is that of the release, whose Secrets the workers could then read. Name another one that only this installation uses.
{{- end }}
{{- if not (or $values.ingress.enabled $values.settings.PUBLIC_URL) }}
settings.PUBLIC_URL is missing. Replicas read their models there: name an address that they reach, or enable the ingress.
{{- end }}
{{- if and $values.networkPolicy.enabled (not .apiServer.to) }}
models.kubernetes.apiServer.to is empty, so that the workers could not reach the API server. Name its addresses, such as [{ipBlock: {cidr: 10.0.0.1/32}}]. See them with `kubectl get endpointslices --namespace default --selector kubernetes.io/service-name=kubernetes`.
{{- end }}
{{- if and $values.serviceAccount.create .serviceAccountName }}
models.kubernetes.serviceAccountName is that of an account which exists, but serviceAccount.create is true. Set it to false, or leave the name out.
{{- end }}
{{- if not (or $values.serviceAccount.create .serviceAccountName) }}
models.kubernetes.serviceAccountName is missing, because serviceAccount.create is false. Make a ServiceAccount for the workers that host models, and name it here.
{{- end }}
{{- range $name, $own := $values.workers }}
{{- if $own }}
{{- $pool := mergeOverwrite (deepCopy $values.workerDefaults) $own }}
{{- $queues := list }}
{{- range $pool.queues }}{{ $queues = append $queues (splitList ":" . | first) }}{{ end }}
{{- if and (has "dock" $queues) (not (include "slipway.hostsInCluster" (dict "root" $ "pool" $pool "queues" $queues))) }}
workers.{{ $name }} takes the queue dock with MODEL_HOST none, so that it would find no host for a deployment. Leave MODEL_HOST out, or give the queue to another pool.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Arguments: root, path, value. */}}
{{- define "slipway.faultsOfModelHost" -}}
{{- $enabled := .root.Values.models.kubernetes.enabled }}
{{- if eq .value "kubernetes" }}
{{ .path }}.MODEL_HOST cannot be kubernetes. Set models.kubernetes.enabled instead, which also gives the pods their rights in the cluster.
{{- else if and $enabled (or (ne .value "none") (not (hasPrefix "workers." .path))) }}
{{ .path }}.MODEL_HOST cannot be set: it follows from models.kubernetes.enabled. Only a pool of workers may have none.
{{- end }}
{{- end }}
