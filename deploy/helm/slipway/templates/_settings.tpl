{{/* The secrets without which no process starts, or Prometheus could not read its metrics. */}}
{{- define "slipway.requiredSecrets" -}}
{{- $names := list "DATABASE_URL" "REDIS_URL" "SLIPWAY_PEPPER" "SLIPWAY_MASTER_KEYS" "SLIPWAY_LINK_SECRETS" }}
{{- if .Values.serviceMonitor.enabled }}{{ $names = append $names "METRICS_TOKEN" }}{{ end }}
{{- toJson $names }}
{{- end }}

{{/* The secrets that a process uses if they are there. */}}
{{- define "slipway.optionalSecrets" -}}
[
  "DATABASE_DIRECT_URL", "DATABASE_READ_URL", "STORAGE_ACCESS_KEY", "STORAGE_SECRET_KEY", "SLIPWAY_ADMIN_KEY",
  "METRICS_TOKEN", "CONSOLE_OIDC_CLIENT_SECRET", "OTEL_EXPORTER_OTLP_HEADERS", "OPENAI_API_KEY", "ANTHROPIC_API_KEY",
  "AZURE_OPENAI_API_KEY"
]
{{- end }}

{{/* The settings that follow from other values. */}}
{{- define "slipway.managedSettings" -}}
{
  "HOST": "it follows from listenAddress",
  "PORT": "the image sets it",
  "DATA_DIR": "the image sets it",
  "SLIPWAY_ROLE": "it follows from api and workers",
  "SLIPWAY_QUEUES": "it follows from workers.<pool>.queues",
  "STOP_DELAY_SECONDS": "it follows from stopDelaySeconds",
  "KUBERNETES_NAMESPACE": "it follows from models.kubernetes.namespace",
  "KUBERNETES_IMAGE": "it follows from models.kubernetes.image",
  "KUBERNETES_MODE": "it follows from models.kubernetes.mode",
  "KUBERNETES_GPU_RESOURCE": "it follows from models.kubernetes.gpuResource",
  "KUBECONFIG": "the pods use their service account, which models.kubernetes gives its rights"
}
{{- end }}

{{/* The settings by which processes find one another and their files, and clients find them. */}}
{{- define "slipway.sharedSettings" -}}
["PUBLIC_URL", "REDIS_PREFIX", "STORAGE_URL"]
{{- end }}

{{/* The settings of all processes that are no secrets, as YAML. Values of your own come last. */}}
{{- define "slipway.plainSettings" -}}
{{- $all := dict "HOST" .Values.listenAddress "STOP_DELAY_SECONDS" (include "slipway.text" .Values.stopDelaySeconds) }}
{{- /* Releases that share a Redis keep apart. */}}
{{- $place := printf "%s/%s" .Release.Namespace (include "slipway.fullname" .) }}
{{- $_ := set $all "REDIS_PREFIX" (printf "slipway-%s" (sha256sum $place | trunc 12)) }}
{{- $all = merge $all (include "slipway.modelSettings" . | fromYaml) }}
{{- if .Values.ingress.enabled }}
{{- $_ := set $all "PUBLIC_URL" (printf "https://%s" .Values.ingress.host) }}
{{- end }}
{{- if .Values.storage.existingClaim }}
{{- $_ := set $all "STORAGE_URL" "file:/files" }}
{{- end }}
{{- range $name, $value := merge (dict) .Values.settings .Values.pluginSettings }}
{{- $_ := set $all $name (include "slipway.text" $value) }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{/* A number without an exponent, and any other value as it is. */}}
{{- define "slipway.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{/* The value of a variable in which the kubelet would otherwise replace `$$` and `$(NAME)`. */}}
{{- define "slipway.literal" -}}
{{ replace "$" "$$" . | quote }}
{{- end }}

{{/* The secrets of a process, each as a reference. */}}
{{- define "slipway.secretEnvironment" -}}
{{- $values := .Values }}
{{- $required := include "slipway.requiredSecrets" . | fromJsonArray }}
{{- range concat $required (include "slipway.optionalSecrets" . | fromJsonArray) | uniq }}
{{- $ref := default dict (get $values.secrets.refs .) }}
- name: {{ . | quote }}
  valueFrom:
    secretKeyRef:
      name: {{ (default $values.secrets.existingSecret $ref.name) | quote }}
      key: {{ (default . $ref.key) | quote }}
      {{- if and (not (has . $required)) (not $ref) }}
      optional: true
      {{- end }}
{{- end }}
{{- end }}
