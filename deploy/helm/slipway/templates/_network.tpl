{{/* The names of hosts, the database and Redis. */}}
{{- define "slipway.egressInside" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- range list .Values.networkPolicy.database .Values.networkPolicy.redis }}
- ports:
    {{- range .ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
