{{- define "mainstay.name" -}}
{{- if contains "mainstay" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-mainstay" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "mainstay.selector" -}}
app.kubernetes.io/name: mainstay
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mainstay.labels" -}}
{{ include "mainstay.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mainstay.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Image, rights and settings: the same for the service and for every command. */}}
{{- define "mainstay.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
envFrom:
  - configMapRef: { name: {{ include "mainstay.name" . }} }
{{- end }}

{{/* The service reads production.env from here; a name in the environment wins. */}}
{{- define "mainstay.settingsVolume" -}}
- name: settings
  secret:
    secretName: {{ .Values.settingsSecret }}
    defaultMode: 0440
{{- end }}

{{- define "mainstay.keysVolume" -}}
- name: keys
  secret:
    secretName: {{ .Values.keys.secret }}
    defaultMode: 0440
{{- end }}

{{- define "mainstay.settingsMount" -}}
- { name: settings, mountPath: /app/config, readOnly: true }
{{- end }}

{{- define "mainstay.keysMount" -}}
- { name: keys, mountPath: /keys, readOnly: true }
{{- end }}

{{/* A job that gets the keys Secret, lets commands change its files, and puts them back. Call with root and args, and with seconds if
     it may take longer than five minutes. */}}
{{- define "mainstay.keysJob" -}}
backoffLimit: 3
activeDeadlineSeconds: {{ .seconds | default 300 }}
template:
  metadata:
    labels:
      {{- include "mainstay.selector" .root | nindent 6 }}
      app.kubernetes.io/component: keys
  spec:
    restartPolicy: Never
    serviceAccountName: {{ include "mainstay.name" .root }}-keys
    securityContext:
      {{- include "mainstay.podSecurity" .root | nindent 6 }}
    containers:
      - name: keys
        {{- include "mainstay.container" .root | nindent 8 }}
        command: [node, /script/keys-secret.mjs]
        args: {{ toJson .args }}
        env:
          - { name: KEYS_SECRET, value: {{ .root.Values.keys.secret | quote }} }
          - { name: KEYS_FOLDER, value: /work }
          - { name: JWT_KEYS_FILE, value: /work/jwt-keys.json }
          - { name: SECRETS_KEYS_FILE, value: /work/secrets-keys.json }
          - { name: NODE_EXTRA_CA_CERTS, value: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt }
          {{- range .root.Values.extraEnv }}
          - {{ if eq .name "NODE_EXTRA_CA_CERTS" }}{{ set (deepCopy .) "name" "COMMANDS_EXTRA_CA_CERTS" | toJson }}{{ else }}{{ toJson . }}{{ end }}
          {{- end }}
        resources: {{ toJson .root.Values.resources }}
        volumeMounts:
          {{- include "mainstay.settingsMount" .root | nindent 10 }}
          - { name: script, mountPath: /script, readOnly: true }
          - { name: work, mountPath: /work }
          {{- with .root.Values.extraVolumeMounts }}
          {{- toYaml . | nindent 10 }}
          {{- end }}
    volumes:
      {{- include "mainstay.settingsVolume" .root | nindent 6 }}
      - name: script
        configMap: { name: {{ include "mainstay.name" .root }}-keys }
      # In memory: keys are written to no disk of a node.
      - name: work
        emptyDir: { medium: Memory, sizeLimit: 1Mi }
      {{- with .root.Values.extraVolumes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}
