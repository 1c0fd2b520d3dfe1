{{- define "svc.name" -}}
{{- $name := printf "%s-%s" .Release.Name .Chart.Name }}
{{- if contains .Chart.Name .Release.Name }}{{ $name = .Release.Name }}{{ end }}
{{- $name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "svc.secret" -}}
{{ .Values.secrets.existingSecret | default (include "svc.name" .) }}
{{- end }}

{{- define "svc.host" -}}
{{ (urlParse .Values.publicUrl).host | regexFind "^[^:]+" }}
{{- end }}

{{- define "svc.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "svc.env" -}}
- { name: SVC_PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
{{- with .Values.trustedProxies }}
- { name: SVC_TRUSTED_PROXIES, value: {{ join "," . | quote }} }
{{- end }}
- { name: SVC_DATABASE_URL_FILE, value: /run/secrets/svc/database-url }
- { name: SVC_SECRET_KEY_FILE, value: /run/secrets/svc/secret-key }
- { name: SVC_AUDIT_CHAIN_KEY_FILE, value: /run/secrets/svc/audit-chain-key }
- { name: SVC_AUDIT_SIGNING_KEY_FILE, value: /run/secrets/svc/audit-signing-key }
- { name: SVC_METRICS_AUTH_TOKEN_FILE, value: /run/secrets/svc/metrics-token }
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ ternary (toJson $value) (toString $value) (kindIs "float64" $value) | quote }} }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* What each pod of the brain, of a backup and of a restore has. */}}
{{- define "svc.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false # their variables would begin with SVC_
{{- with .Values.serviceAccount }}
{{- if or .create .name }}
serviceAccountName: {{ .name | default (include "svc.name" $) }}
{{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: {{- include "svc.podSecurityContext" . | nindent 2 }}
{{- end }}

{{- define "svc.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "svc.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "svc.volumes" -}}
- name: secrets
  secret: { secretName: {{ include "svc.secret" . }}, defaultMode: 288 } # 0440
- { name: data, emptyDir: {} }
- { name: tmp, emptyDir: {} }
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "svc.volumeMounts" -}}
- { name: secrets, mountPath: /run/secrets/svc, readOnly: true }
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "svc.backupName" -}}
{{ include "svc.name" . | trunc 45 | trimSuffix "-" }}-backup
{{- end }}

{{- /* Other labels than the brain's, so that neither the Service nor the Deployment selects these pods. */}}
{{- define "svc.backupSelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}-backup
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.backupPassphrase" -}}
{{ if .Values.backup.passphraseSecret }} --passphrase-file /run/secrets/svc-backup/passphrase{{ end }}
{{- end }}

{{- /* The pod of a backup or a restore: the brain's image, settings and keys, and the volume of the backups. */}}
{{- define "svc.backupPod" -}}
{{- with .root -}}
metadata:
  labels: {{- include "svc.backupSelector" . | nindent 4 }}
spec:
  {{- include "svc.podSettings" . | nindent 2 }}
  restartPolicy: Never
  containers:
    - name: svc
      image: {{ include "svc.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [/usr/bin/tini, --, sh, -euc]
      args:
        - |
          {{- $.script | nindent 10 }}
      env: {{- include "svc.env" . | nindent 8 }}
      securityContext: {{- include "svc.containerSecurityContext" . | nindent 8 }}
      resources: {{- toYaml .Values.backup.resources | nindent 8 }}
      volumeMounts:
        {{- include "svc.volumeMounts" . | nindent 8 }}
        - { name: backups, mountPath: /backups }
        {{- if .Values.backup.passphraseSecret }}
        - { name: passphrase, mountPath: /run/secrets/svc-backup, readOnly: true }
        {{- end }}
  volumes:
    {{- include "svc.volumes" . | nindent 4 }}
    - name: backups
      persistentVolumeClaim: { claimName: {{ .Values.backup.existingClaim | default (include "svc.backupName" .) }} }
    {{- with .Values.backup.passphraseSecret }}
    - name: passphrase
      secret: { secretName: {{ . }}, defaultMode: 288 } # 0440
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
