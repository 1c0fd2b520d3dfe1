import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeAll } from "vitest"
import { parse } from "yaml"
import { version } from "../../src/domain/kernel/Version.ts"
import { settingDefinitions } from "../../src/services/kernel/Settings.ts"
import { has } from "../needs.ts"
import { chart, type Manifests, renderChart } from "./helm.ts"

const hasPython = await has("Python")

const refusedValues = [
  {},
  { publicUrl: "http://svc.example.com", secrets: { existingSecret: "x" } },
  { publicUrl: "https://svc.example.com", secrets: {} },
  { publicUrl: "https://svc.example.com", secrets: { values: { "secret-key": "x" } } },
  { publicUrl: "https://svc.example.com", secrets: { existingSecret: "x" }, replicas: 3 },
  { publicUrl: "https://svc.example.com", secrets: { existingSecret: "x" }, settings: { LOG: "debug" } },
  { publicUrl: "https://svc.example.com", secrets: { existingSecret: "x" }, scheduler: { enabled: true } },
  { publicUrl: "https://svc.example.com", secrets: { existingSecret: "x" }, backup: { enabled: true, keep: 0 } },
  { publicUrl: "https://svc.example.com", secrets: { existingSecret: "x" }, restore: { archive: "../svc" } }
]

describe.skipIf(!hasPython)("the Helm chart", () => {
  let manifests: Manifests
  beforeAll(async () => {
    manifests = await renderChart(["1.37.0", "1.25.0"], refusedValues)
  })
  const manifest = (name: string, kind: string) => manifests[name]?.find((one) => one.kind === kind)

  it("renders by helm to manifests that Kubernetes accepts, and refuses invalid values", () => {
    assert.deepStrictEqual(manifests.full?.map(({ kind }) => kind).sort(), [
      "CronJob",
      "Deployment",
      "HorizontalPodAutoscaler",
      "Ingress",
      "Job",
      "NetworkPolicy",
      "NetworkPolicy",
      "PersistentVolumeClaim",
      "PodDisruptionBudget",
      "Secret",
      "Service",
      "ServiceAccount",
      "ServiceMonitor"
    ])
    assert.deepStrictEqual(manifests.small?.map(({ kind }) => kind).sort(), [
      "Deployment",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service"
    ])
  })

  it("adds environment, volumes, account and priority to every pod, and leaves the replicas to an autoscaler", () => {
    const { spec } = manifest("full", "Deployment")
    assert.notProperty(spec, "replicas")
    assert.strictEqual(manifest("small", "Deployment").spec.replicas, 2)
    const jobs = [manifest("full", "CronJob").spec.jobTemplate.spec, manifest("full", "Job").spec]
    for (const { template } of [spec, ...jobs]) {
      assert.deepInclude(template.spec, { serviceAccountName: "svc", priorityClassName: "important" })
      const [{ env, volumeMounts }] = template.spec.containers
      assert.deepInclude(env, { name: "NODE_EXTRA_CA_CERTS", value: "/etc/ca/ca.pem" })
      assert.deepInclude(volumeMounts, { name: "ca", mountPath: "/etc/ca", readOnly: true })
      assert.deepInclude(template.spec.volumes, { name: "ca", configMap: { name: "ca" } })
    }
    assert.notProperty(manifest("small", "Deployment").spec.template.spec, "serviceAccountName")
  })

  it("has the program's version, its settings, the image's user, and time for its shutdown", () => {
    const about = parse(readFileSync(join(chart, "Chart.yaml"), "utf8"))
    assert.deepInclude(about, { version, appVersion: version })
    const { spec } = manifest("full", "Deployment").spec.template
    const [container] = spec.containers
    const known = new Set<string>(Object.values(settingDefinitions).map(({ name }) => name))
    for (const { name } of container.env) {
      if (name !== "NODE_EXTRA_CA_CERTS") assert.isTrue(known.has(name.replace(/_FILE$/, "")), name)
    }
    assert.deepInclude(container.env, { name: "SVC_INGEST_QUEUE_EVENTS", value: "1000000" })
    const dockerfile = readFileSync(join(import.meta.dirname, "../../deploy/docker/Dockerfile"), "utf8")
    assert.include(dockerfile, `USER ${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}`)
    const shutdownSeconds = 10 // docs/operations.md, Signals
    const [, preStop] = container.lifecycle.preStop.exec.command
    assert.isAtLeast(spec.terminationGracePeriodSeconds, shutdownSeconds + Number(preStop))
    assert.isUndefined(manifest("small", "Secret"))
  })

  it("backs up and restores with the brain's image, environment, secrets and limits, and with labels of its own", () => {
    const brain = manifest("full", "Deployment").spec.template
    for (
      const pod of [manifest("full", "CronJob").spec.jobTemplate.spec.template, manifest("full", "Job").spec.template]
    ) {
      const [container] = pod.spec.containers
      const [{ env, ...others }] = brain.spec.containers
      for (const field of ["image", "imagePullPolicy", "securityContext"]) {
        assert.deepStrictEqual(container[field], others[field], field)
      }
      assert.deepStrictEqual(pod.spec.securityContext, brain.spec.securityContext)
      assert.isFalse(pod.spec.automountServiceAccountToken)
      assert.includeDeepMembers(env, container.env)
      assert.includeDeepMembers(container.volumeMounts, [{ name: "backups", mountPath: "/backups" }])
      // the Service must not send requests to these pods
      assert.notStrictEqual(
        pod.metadata.labels["app.kubernetes.io/name"],
        brain.metadata.labels["app.kubernetes.io/name"]
      )
    }
    assert.isUndefined(manifest("small", "CronJob"))
    assert.isUndefined(manifest("small", "Job"))
  })

  it("opens the port for schedulers only when it is enabled", () => {
    const portOf = (name: string) => [
      manifest(name, "Service").spec.ports.map(({ targetPort }: { readonly targetPort: string }) => targetPort),
      manifest(name, "Deployment").spec.template.spec.containers[0].ports.map((
        { containerPort }: { readonly containerPort: number }
      ) => containerPort),
      manifest(name, "NetworkPolicy").spec.ingress.map((
        { ports: [{ port }] }: { readonly ports: readonly [{ readonly port: string }] }
      ) => port)
    ]
    assert.deepStrictEqual(portOf("small"), [["http"], [7700], ["http"]])
    const { default: port } = settingDefinitions.schedulerGrpcPort
    assert.deepStrictEqual(portOf("full"), [["http", "scheduler"], [7700, port], ["http", "scheduler"]])
    const [{ env, volumeMounts }] = manifest("full", "Deployment").spec.template.spec.containers
    const mount = volumeMounts.find(({ name }: { readonly name: string }) => name === "scheduler")
    for (const part of ["CERT", "KEY", "CA"]) {
      const { value } = env.find(({ name }: { readonly name: string }) => name === `SVC_SCHEDULER_GRPC_TLS_${part}`)
      assert.strictEqual(dirname(value), mount.mountPath)
    }
  })
})
