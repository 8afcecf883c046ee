{{/* Fails with all that is wrong with the values, as the service does with its settings. */}}
{{- define "slipway.check" -}}
{{- $faults := list }}
{{- range list "image" "secrets" "settings" "storage" "pools" "models" "ingress" "monitoring" "account" "cluster" }}
{{- $found := include (printf "slipway.faultsOf.%s" .) $ }}
{{- range splitList "\n" $found }}
{{- with trim . }}{{ $faults = append $faults . }}{{ end }}
{{- end }}
{{- end }}
{{- with $faults }}
{{- fail (printf "\n\nSlipway cannot be installed with these values:\n- %s\n" (join "\n- " .)) }}
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.image" -}}
{{- if not .Values.image.repository }}
image.repository is missing. The image is not published: build it from the Dockerfile, push it to your registry, and name it here.
{{- end }}
{{- if eq .Values.image.tag "latest" }}
image.tag is `latest`, which names another image after each build. Name a version, or leave it out for {{ .Chart.AppVersion }}.
{{- end }}
{{- if and .Values.image.tag .Values.image.digest }}
image.tag and image.digest both name an image. Keep one of them.
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.account" -}}
{{- if and .Values.serviceAccount.create .Values.serviceAccount.name }}
serviceAccount.name is that of an account which exists, but serviceAccount.create is true. Set it to false, or leave the name out.
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.secrets" -}}
{{- $secrets := .Values.secrets }}
{{- $required := include "slipway.requiredSecrets" . | fromJsonArray }}
{{- $known := concat $required (include "slipway.optionalSecrets" . | fromJsonArray) | uniq }}
{{- if not $secrets.existingSecret }}
secrets.existingSecret is missing. Make a Secret with the keys {{ join ", " $required }} in the namespace {{ .Release.Namespace }}, and name it here; docs/kubernetes.md has the command.
{{- end }}
{{- range $name, $_ := $secrets.refs }}
{{- if not (has $name $known) }}
secrets.refs.{{ $name }} is no secret of Slipway. These are: {{ join ", " $known }}.
{{- end }}
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.settings" -}}
{{- include "slipway.faultsOfSettings" (dict "root" . "path" "settings" "settings" .Values.settings) }}
{{- include "slipway.faultsOfSettings" (dict "root" . "path" "api.settings" "settings" .Values.api.settings) }}
{{- include "slipway.faultsOfSettings" (dict "root" . "path" "workerDefaults.settings" "settings" .Values.workerDefaults.settings) }}
{{- range $name, $pool := .Values.workers }}
{{- with $pool }}
{{- include "slipway.faultsOfSettings" (dict "root" $ "path" (printf "workers.%s.settings" $name) "settings" (default dict .settings)) }}
{{- end }}
{{- end }}
{{- $known := .Files.Get "files/settings.json" | fromJsonArray }}
{{- range $name, $_ := .Values.pluginSettings }}
{{- if has $name $known }}
pluginSettings.{{ $name }} is a setting of Slipway, and not of a plugin. Put it into settings.
{{- end }}
{{- end }}
{{- end }}

{{/* Arguments: root, path, settings. */}}
{{- define "slipway.faultsOfSettings" -}}
{{- $known := .root.Files.Get "files/settings.json" | fromJsonArray }}
{{- $managed := include "slipway.managedSettings" .root | fromJson }}
{{- $secret := concat (include "slipway.requiredSecrets" .root | fromJsonArray) (include "slipway.optionalSecrets" .root | fromJsonArray) }}
{{- $root := .root }}
{{- $path := .path }}
{{- $shared := ternary list (include "slipway.sharedSettings" . | fromJsonArray) (eq $path "settings") }}
{{- range $name, $value := .settings }}
{{- if has $name $secret }}
{{ $path }}.{{ $name }} is a secret, and would be readable in the release. Put it into the Secret of secrets.existingSecret under this name.
{{- else if hasKey $managed $name }}
{{ $path }}.{{ $name }} cannot be set: {{ get $managed $name }}.
{{- else if not (has $name $known) }}
{{ $path }}.{{ $name }} is no setting of Slipway; docs/settings.md lists them. A setting of a plugin goes into pluginSettings, and any other variable into extraEnv.
{{- else if has $name $shared }}
{{ $path }}.{{ $name }} has to be the same for all processes. Put it into settings.
{{- else if eq $name "MODEL_HOST" }}
{{- include "slipway.faultsOfModelHost" (dict "root" $root "path" $path "value" (toString $value)) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.storage" -}}
{{- $url := toString (default "" .Values.settings.STORAGE_URL) }}
{{- if and (not .Values.storage.existingClaim) (or (not $url) (hasPrefix "file:" $url)) }}
settings.STORAGE_URL names no place that all pods share, so that files would be lost with their pod. Name a bucket, such as s3://bucket/slipway?region=eu-central-1, or set storage.existingClaim to a claim that many nodes mount.
{{- end }}
{{- if and .Values.storage.existingClaim $url }}
settings.STORAGE_URL and storage.existingClaim both say where the files are. Keep one of them.
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.pools" -}}
{{- $taken := list }}
{{- range $name, $own := .Values.workers }}
{{- if $own }}
{{- range $own.queues }}{{ $taken = append $taken (splitList ":" . | first) }}{{ end }}
{{- $pool := mergeOverwrite (deepCopy $.Values.workerDefaults) $own }}
{{- include "slipway.faultsOfAutoscaling" (dict "path" (printf "workers.%s.autoscaling" $name) "scaling" $pool.autoscaling "reasons" (list "waitingJobs" "oldestSeconds")) }}
{{- end }}
{{- end }}
{{- range list "dock" "callbacks" "turns" "upkeep" }}
{{- if not (has . $taken) }}
No pool of workers takes the queue {{ . }}, so that its jobs would wait for ever. Add it to workers.<pool>.queues.
{{- end }}
{{- end }}
{{- include "slipway.faultsOfAutoscaling" (dict "path" "api.autoscaling" "scaling" .Values.api.autoscaling "reasons" (list "cpuPercent" "p95Seconds")) }}
{{- end }}

{{/* Arguments: path, scaling, reasons. */}}
{{- define "slipway.faultsOfAutoscaling" -}}
{{- $scaling := .scaling }}
{{- if $scaling.enabled }}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
{{ .path }}.minReplicas is {{ int $scaling.minReplicas }}, which is more than maxReplicas, {{ int $scaling.maxReplicas }}. Lower the one or raise the other.
{{- end }}
{{- $given := list }}
{{- range .reasons }}{{ if get $scaling . }}{{ $given = append $given . }}{{ end }}{{ end }}
{{- if not $given }}
{{ .path }} has no reason to scale. Set {{ join " or " .reasons }}, or disable it.
{{- end }}
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.ingress" -}}
{{- with .Values.ingress }}
{{- if and .enabled (not .host) }}
ingress.host is missing. Name the host at which clients reach Slipway.
{{- end }}
{{- if and .enabled (not .tlsSecret) }}
ingress.tlsSecret is missing. API keys must not travel unencrypted: name the Secret with the certificate of the host.
{{- end }}
{{- end }}
{{- end }}

{{- define "slipway.faultsOf.monitoring" -}}
{{- $network := .Values.networkPolicy }}
{{- if and .Values.serviceMonitor.enabled $network.enabled (not $network.metricsFrom) }}
networkPolicy.metricsFrom is empty, so that Prometheus could not read the metrics. Name its namespace, such as [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}].
{{- end }}
{{- end }}

{{/* What only a cluster can tell. `helm template` asks none, and finds nothing. */}}
{{- define "slipway.faultsOf.cluster" -}}
{{- $wanted := .Values.secrets.existingSecret }}
{{- if $wanted }}
{{- $secret := lookup "v1" "Secret" .Release.Namespace $wanted }}
{{- /* Each namespace of a cluster has this one. */}}
{{- $isCluster := lookup "v1" "ConfigMap" .Release.Namespace "kube-root-ca.crt" }}
{{- if and $isCluster (not $secret) }}
The namespace {{ .Release.Namespace }} has no Secret {{ $wanted }}. Make it first, or correct secrets.existingSecret; docs/kubernetes.md has the command.
{{- end }}
{{- $models := .Values.models.kubernetes }}
{{- if and $isCluster $models.enabled $models.namespace }}
{{- if not (lookup "v1" "ConfigMap" $models.namespace "kube-root-ca.crt") }}
The cluster has no namespace {{ $models.namespace }}. Make it first, or correct models.kubernetes.namespace.
{{- end }}
{{- end }}
{{- if $secret }}
{{- range include "slipway.requiredSecrets" . | fromJsonArray }}
{{- $ref := default dict (get $.Values.secrets.refs .) }}
{{- $key := default . $ref.key }}
{{- if and (eq (default $wanted $ref.name) $wanted) (not (hasKey (default dict $secret.data) $key)) }}
The Secret {{ $wanted }} has no key {{ $key }}. Add it; docs/settings.md says what it is.
{{- end }}
{{- end }}
{{- end }}
{{- range (default list (lookup "apps/v1" "Deployment" .Release.Namespace "").items) }}
{{- $uses := get (default dict .metadata.annotations) "slipway/existing-secret" }}
{{- $release := get (default dict .metadata.labels) "app.kubernetes.io/instance" }}
{{- if and (eq $wanted (default "" $uses)) (ne $.Release.Name (default "" $release)) (eq "api" (get .metadata.labels "app.kubernetes.io/component")) }}
The release {{ $release }} in this namespace already uses the Secret {{ $wanted }}, so that both would be one installation. Upgrade it with `helm upgrade {{ $release }}`, or give this release a database and a Secret of its own.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
