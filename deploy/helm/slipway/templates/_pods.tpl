{{- define "slipway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "slipway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* What every pod has, the migration included. */}}
{{- define "slipway.placement" -}}
# Variables for each service of the namespace might be taken for settings.
enableServiceLinks: false
securityContext:
  {{- include "slipway.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Arguments: root, component, pool (its values), role, queues. */}}
{{- define "slipway.deployment" -}}
{{- $root := .root }}
{{- $pool := .pool }}
{{- $values := $root.Values }}
{{- $hostsInCluster := eq "true" (include "slipway.hostsInCluster" .) }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "slipway.fullname" $root }}-{{ .component }}
  labels:
    {{- include "slipway.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    slipway/existing-secret: {{ $values.secrets.existingSecret | quote }}
spec:
  {{- if not $pool.autoscaling.enabled }}
  replicas: {{ $pool.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    rollingUpdate: { maxSurge: 25%, maxUnavailable: 0 }
  selector:
    matchLabels:
      {{- include "slipway.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels:
        {{- include "slipway.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
        {{- if $hostsInCluster }}
        slipway/hosts: models-in-cluster
        {{- end }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/settings: {{ include "slipway.plainSettings" $root | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include (ternary "slipway.modelsAccount" "slipway.serviceAccount" $hostsInCluster) $root | quote }}
      automountServiceAccountToken: {{ $hostsInCluster }}
      # The process itself waits for stopDelaySeconds, and then ends within 25 seconds.
      terminationGracePeriodSeconds: {{ add $values.stopDelaySeconds 30 }}
      {{- include "slipway.placement" $root | nindent 6 }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          matchLabelKeys: [pod-template-hash]
          labelSelector:
            matchLabels:
              {{- include "slipway.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $.component }}
        {{- end }}
      containers:
        - name: slipway
          image: {{ include "slipway.image" $root }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          ports:
            - { name: http, containerPort: 3000 }
          envFrom:
            - configMapRef: { name: {{ include "slipway.fullname" $root | quote }} }
          env:
            - { name: SLIPWAY_ROLE, value: {{ .role }} }
            {{- with .queues }}
            - { name: SLIPWAY_QUEUES, value: {{ join "," . | quote }} }
            {{- end }}
            {{- if and .queues (not (hasKey (merge (dict) $pool.settings $values.settings) "MODEL_HOST_ADDRESS")) }}
            # The other pods of the release reach the models that this one serves, by IPv4 or IPv6.
            - { name: MODEL_HOST_ADDRESS, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
            {{- end }}
            {{- range $name, $value := $pool.settings }}
            - { name: {{ $name }}, value: {{ include "slipway.literal" (include "slipway.text" $value) }} }
            {{- end }}
            {{- include "slipway.secretEnvironment" $root | nindent 12 }}
            {{- with $values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          # A process waits for its database for ten minutes, and listens when it is migrated.
          startupProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 2
            failureThreshold: 330
          livenessProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /health/ready, port: http }
            periodSeconds: 3
            timeoutSeconds: 5
            failureThreshold: 2
          resources:
            {{- toYaml $pool.resources | nindent 12 }}
          securityContext:
            {{- include "slipway.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
            {{- if $values.storage.existingClaim }}
            - { name: files, mountPath: /files }
            {{- end }}
            {{- with $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: data
          emptyDir: { sizeLimit: {{ $pool.dataSize }} }
        - name: tmp
          emptyDir: { sizeLimit: 1Gi }
        {{- with $values.storage.existingClaim }}
        - name: files
          persistentVolumeClaim: { claimName: {{ . | quote }} }
        {{- end }}
        {{- with $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}

{{/* Arguments: root, component, pool. */}}
{{- define "slipway.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "slipway.fullname" .root }}-{{ .component }}
  labels:
    {{- include "slipway.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  maxUnavailable: {{ .pool.disruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "slipway.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Arguments: root, component, pool, metrics. */}}
{{- define "slipway.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "slipway.fullname" .root }}-{{ .component }}
  labels:
    {{- include "slipway.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "slipway.fullname" .root }}-{{ .component }}
  minReplicas: {{ .pool.autoscaling.minReplicas }}
  maxReplicas: {{ .pool.autoscaling.maxReplicas }}
  behavior:
    # A burst is answered at once; an hour of quiet moments does not end a pod each time.
    scaleDown: { stabilizationWindowSeconds: 300 }
  metrics:
    {{- toYaml .metrics | nindent 4 }}
{{- end }}

{{/* A metric of the whole installation, as the Prometheus adapter names it. Arguments: root, name, labels, target. */}}
{{- define "slipway.externalMetric" -}}
type: External
external:
  metric:
    name: {{ .name | quote }}
    selector:
      matchLabels:
        app_kubernetes_io_instance: {{ .root.Release.Name | quote }}
        {{- with .labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  target:
    {{- toYaml .target | nindent 4 }}
{{- end }}
