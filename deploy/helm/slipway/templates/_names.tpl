{{/* Short enough for the name of a pool behind it. */}}
{{- define "slipway.fullname" -}}
{{- $full := ternary .Release.Name (printf "%s-slipway" .Release.Name) (contains "slipway" .Release.Name) }}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "slipway.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ include "slipway.fullname" . }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{/* The labels by which objects of a release find one another. They never change. */}}
{{- define "slipway.selector" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "slipway.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "slipway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "slipway.image" -}}
{{- $image := .Values.image }}
{{- if $image.digest }}{{ printf "%s@%s" $image.repository $image.digest }}
{{- else }}{{ printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) }}{{ end }}
{{- end }}
