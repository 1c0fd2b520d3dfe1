import type { SetupEngine } from "./setupEngines.ts"

export const engineNames: Readonly<Record<SetupEngine, string>> = {
  celery: "Celery",
  rq: "RQ",
  dramatiq: "Dramatiq",
  huey: "Huey",
  arq: "arq",
  taskiq: "taskiq",
  bullmq: "BullMQ",
  "effect-queue": "Effect queue"
}

export interface AgentSecrets {
  readonly brainUrl: string
  readonly slug: string
  readonly agentId: string
  readonly token: string
  readonly hmacSecret: string
}

export type SetupStep = "environment" | "code" | "start"

/** Where the worker runs. */
export const setupPlaces = ["shell", "docker", "kubernetes"] as const
export type SetupPlace = (typeof setupPlaces)[number]

type Variables = Readonly<Record<string, string>>

interface Setup {
  readonly install: string
  readonly environment: (secrets: AgentSecrets) => Variables
  readonly code: string
  /** Engines that need more than their program's usual start. */
  readonly start?: string
}

/** Slugs, ids and base64url need no quotes in a shell; an address might hold anything. */
const quote = (text: string) => /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const assign = (variables: Variables, prefix: string) =>
  Object.entries(variables).map(([name, value]) => `${prefix}${name}=${quote(value)}`)

const inImage = (install: string) => `# in the worker's Dockerfile: RUN ${install}`

/** The agent's package and variables, as lines for a shell that are copied at once. */
const linesIn: Readonly<Record<SetupPlace, (install: string, variables: Variables) => ReadonlyArray<string>>> = {
  shell: (install, variables) => [install, ...assign(variables, "export ")],
  docker: (install, variables) => [
    inImage(install),
    ["docker run", ...assign(variables, "  -e "), "  your-worker-image"].join(" \\\n")
  ],
  kubernetes: (install, variables) => [
    inImage(install),
    ["kubectl create secret generic svc-agent", ...assign(variables, "  --from-literal=")].join(" \\\n"),
    "kubectl set env deployment/your-worker --from=secret/svc-agent"
  ]
}

/** The variables of the published Python agents (docs/agents.md, Variables). */
const pythonEnvironment =
  (more: Variables = {}) => ({ agentId, brainUrl, hmacSecret, slug, token }: AgentSecrets): Variables => ({
    Z4J_BRAIN_URL: brainUrl,
    Z4J_TOKEN: token,
    Z4J_HMAC_SECRET: hmacSecret,
    Z4J_PROJECT_ID: slug,
    Z4J_AGENT_ID: agentId,
    ...more
  })

/** The variables of our own agent (docs/agent.md, Options). */
const nodeEnvironment = ({ brainUrl, hmacSecret, token }: AgentSecrets): Variables => ({
  SVC_AGENT_BRAIN_URL: brainUrl,
  SVC_AGENT_TOKEN: token,
  SVC_AGENT_HMAC_SECRET: hmacSecret
})

export const setups: Readonly<Record<SetupEngine, Setup>> = {
  celery: {
    install: "pip install z4j-celery",
    environment: pythonEnvironment({ Z4J_CELERY_LOCAL_HOSTNAME: "worker@shop" }),
    code: `import z4j_celery  # in the module of the app

app.conf.update(
    worker_send_task_events=True,
    result_extended=True,        # a retry takes the arguments from the result backend
    worker_pool_restarts=True,   # the worker can be restarted from the dashboard
)`,
    start: "celery -A shop worker -E --hostname worker@shop"
  },
  rq: {
    install: "pip install z4j-rq",
    environment: pythonEnvironment({ Z4J_RQ_REDIS_URL: "redis://127.0.0.1:6379/0" }),
    code: `from z4j_rq.worker_bootstrap import register_worker_bootstrap

register_worker_bootstrap()  # before worker.work()`
  },
  dramatiq: {
    install: "pip install z4j-bare z4j-dramatiq",
    environment: pythonEnvironment(),
    code: `from z4j_bare import install_agent
from z4j_dramatiq import DramatiqEngineAdapter

install_agent(engines=[DramatiqEngineAdapter(broker=broker)])`
  },
  huey: {
    install: "pip install z4j-bare z4j-huey",
    environment: pythonEnvironment(),
    code: `from z4j_bare import install_agent
from z4j_huey import HueyEngineAdapter

install_agent(engines=[HueyEngineAdapter(huey=huey)])`
  },
  arq: {
    install: "pip install z4j-bare z4j-arq",
    environment: pythonEnvironment(),
    code: `from z4j_arq import ArqEngineAdapter, attach_to_worker_settings
from z4j_bare import install_agent

adapter = ArqEngineAdapter(redis_settings=redis_settings, function_names=["charge"])
attach_to_worker_settings(WorkerSettings, adapter=adapter)
install_agent(engines=[adapter])`
  },
  taskiq: {
    install: "pip install z4j-bare z4j-taskiq",
    environment: pythonEnvironment(),
    code: `from z4j_bare import install_agent
from z4j_taskiq import TaskiqEngineAdapter, attach_to_broker

adapter = TaskiqEngineAdapter(broker=broker)
attach_to_broker(broker, adapter=adapter)
install_agent(engines=[adapter])`
  },
  bullmq: {
    install: "npm install ../svc/svc-agent-0.1.0.tgz",
    environment: nodeEnvironment,
    code: `import { fromEnvironment, startAgent } from "svc-agent"
import { bullmq } from "svc-agent/bullmq"

const agent = await startAgent({
  ...fromEnvironment(process.env),
  engines: [bullmq({ workers: [worker], queues: [queue] })]
})
// before the process ends: await agent.close()`
  },
  "effect-queue": {
    install: "npm install ../svc/svc-agent-0.1.0.tgz",
    environment: nodeEnvironment,
    code: `import { Agent, fromEnvironment } from "svc-agent/effect"
import * as EffectQueue from "svc-agent/effect/queue"

const agentLayer = Agent.layer({
  ...fromEnvironment(process.env),
  engines: [EffectQueue.engine([mail])]
})`
  }
}

/** The steps of an engine with their lines, in order. */
export const setupLines = (
  engine: SetupEngine,
  place: SetupPlace,
  secrets: AgentSecrets
): ReadonlyArray<{ readonly step: SetupStep; readonly text: string }> => {
  const { code, environment, install, start } = setups[engine]
  return [
    { step: "environment", text: linesIn[place](install, environment(secrets)).join("\n") },
    { step: "code", text: code },
    ...(start === undefined ? [] : [{ step: "start" as const, text: start }])
  ]
}
