import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parse, parseAllDocuments } from "yaml"
import { version } from "../../src/domain/Version.ts"
import { settingDefinitions } from "../../src/services/Settings.ts"
import { virtualEnvironment } from "../e2e/virtualEnvironment.ts"
import { has } from "../needs.ts"

const chart = join(import.meta.dirname, "../../deploy/helm/svc")
const folder = join(import.meta.dirname, "helm")
const hasPython = await has("Python")

/** Debian's Go, with the packages golang-github-masterminds-sprig-dev and golang-k8s-sigs-yaml-dev. */
const goPath = "/usr/share/gocode"
const go = ["/usr/bin/go", "/usr/lib/go-1.19/bin/go"].find((path) => existsSync(path))
const canRender = go !== undefined &&
  ["github.com/Masterminds/sprig", "sigs.k8s.io/yaml"].every((name) => existsSync(join(goPath, "src", name)))
if (!canRender) console.warn("skipped: the chart is not rendered again (CONTRIBUTING.md names the packages)")

const names = ["small", "full", "backup"]

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

// manifests have too many shapes for a type here; the schemas of Kubernetes check them
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const manifest = (name: string, kind: string): any =>
  parseAllDocuments(readFileSync(join(folder, `${name}.yaml`), "utf8")).map((document) => document.toJS()).find((one) =>
    one.kind === kind
  )

describe("the Helm chart", () => {
  it.live.skipIf(!hasPython)(
    "has manifests that Kubernetes accepts, and refuses invalid values",
    () =>
      Effect.gen(function*() {
        const bin = yield* virtualEnvironment("deploy", join(import.meta.dirname, "python/requirements.txt"))
        for (const kubernetes of ["1.37.0", "1.25.0"]) {
          const kinds = execFileSync(join(bin, "python"), [
            join(import.meta.dirname, "python/helm.py"),
            join(chart, "values.schema.json"),
            kubernetes,
            ...names.map((name) => join(folder, name))
          ], { encoding: "utf8", input: JSON.stringify(refusedValues) })
          assert.strictEqual(
            kinds.trim(),
            "CronJob,Deployment,Ingress,Job,NetworkPolicy,PersistentVolumeClaim,PodDisruptionBudget,Secret,Service,ServiceMonitor"
          )
        }
      }),
    120_000
  )

  it.live.skipIf(!canRender)("renders to the manifests beside this test", () =>
    Effect.sync(() => {
      for (const name of names) {
        const rendered = execFileSync(
          go ?? "",
          ["run", join(folder, "render.go"), chart, join(folder, `${name}.values.yaml`)],
          {
            encoding: "utf8",
            env: {
              ...process.env,
              GO111MODULE: "off",
              GOPATH: goPath,
              GOCACHE: join(import.meta.dirname, "../../node_modules/.cache/go")
            }
          }
        )
        assert.strictEqual(rendered, readFileSync(join(folder, `${name}.yaml`), "utf8"))
      }
    }), 120_000)

  it("has the program's version, its settings, the image's user, and time for its shutdown", () => {
    const about = parse(readFileSync(join(chart, "Chart.yaml"), "utf8"))
    assert.deepInclude(about, { version, appVersion: version })
    const { spec } = manifest("full", "Deployment").spec.template
    const [container] = spec.containers
    const known = new Set<string>(Object.values(settingDefinitions).map(({ name }) => name))
    for (const { name } of container.env) assert.isTrue(known.has(name.replace(/_FILE$/, "")), name)
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
