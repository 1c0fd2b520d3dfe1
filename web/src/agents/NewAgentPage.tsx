import { useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { api, base, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useProgress } from "../overview/useFirstSteps.ts"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Problem } from "../ui/Problem.tsx"
import { useSubmit } from "../ui/useSubmit.ts"
import { ConnectLink } from "./ConnectLink.tsx"
import { engineNames } from "./setup.ts"
import { namespacedEngines, type SetupEngine, setupEngines } from "./setupEngines.ts"
import { SetupLines } from "./SetupLines.tsx"
import { WaitForAgent } from "./WaitForAgent.tsx"

const EngineChoice = ({ onChoose, value }: {
  readonly value: SetupEngine
  readonly onChoose: (engine: SetupEngine) => void
}) => {
  const { agents: texts } = useTexts()
  return (
    <fieldset className="grid gap-2">
      <legend className="pb-2 font-medium">{texts.chooseEngine}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(140px,1fr))] gap-2">
        {setupEngines.map((engine) => (
          <label
            key={engine}
            className="flex items-center gap-2 rounded-base border border-line px-3 py-2 hover:bg-hover has-checked:border-accent has-checked:bg-press has-checked:font-medium"
          >
            <input
              type="radio"
              name="engine"
              checked={engine === value}
              onChange={() => onChoose(engine)}
            />
            {engineNames[engine]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** The set-up assistant: choose the engine, copy the lines with the secrets that are shown once, see the first event. */
export const NewAgentPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/agents/new" })
  const { engine = "celery" } = useSearch({ from: "/signed-in/projects/$slug/agents/new" })
  const { agents: texts } = useTexts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const isAdmin = useCan(slug, "admin")
  useProgress(slug) // connecting the first agent is the first step
  const [typedName, setName] = useState<string | null>(null)
  const name = typedName ?? engine // to change or to accept
  const [created, setCreated] = useState<Schemas["CreatedAgent"] | null>(null)
  const { failure, isBusy, submitWith } = useSubmit()
  const create = async (form: FormData) => {
    const namespace = fieldText(form, "namespace")
    const body = { name: name.trim(), ...(namespace !== "" && { namespace }) }
    setCreated(await unwrap(api.POST("/api/v1/projects/{slug}/agents", { params: { path: { slug } }, body })))
    void queries.invalidateQueries({ queryKey: ["agents", slug] })
  }
  if (!isAdmin) {
    return (
      <EmptyState title={texts.adminsCreate} hint={texts.adminsCreateHint}>
        <ConnectLink slug={slug} />
      </EmptyState>
    )
  }
  return (
    <>
      <PageHeader title={created === null ? texts.create : created.agent.name} />
      <div className="grid gap-6 px-4 pb-12 lg:grid-cols-[minmax(0,56rem)_minmax(320px,1fr)]">
        <div className="grid min-w-0 content-start gap-6">
          <EngineChoice
            value={engine}
            onChoose={(chosen) =>
              void navigate({
                to: "/projects/$slug/agents/new",
                params: { slug },
                search: { engine: chosen },
                replace: true
              })}
          />
          {created === null
            ? (
              <form className="grid gap-4" onSubmit={submitWith(create)}>
                <TextField
                  label={texts.newName}
                  hint={texts.newNameHint}
                  name="name"
                  value={name}
                  onChange={({ target }) => setName(target.value)}
                  maxLength={200}
                  autoComplete="off"
                />
                {namespacedEngines.has(engine) && (
                  <TextField
                    label={texts.namespace}
                    hint={texts.namespaceHint}
                    name="namespace"
                    required={false}
                    maxLength={40}
                    pattern="[a-z0-9][a-z0-9._\-]*"
                    autoComplete="off"
                  />
                )}
                {failure !== null && <Problem error={failure} />}
                <div className="flex gap-2">
                  <Button type="submit" variant="primary" disabled={isBusy}>{texts.createSubmit}</Button>
                  <Link
                    to="/projects/$slug/agents"
                    params={{ slug }}
                    className="self-center px-2 text-soft hover:text-ink"
                  >
                    {texts.back}
                  </Link>
                </div>
              </form>
            )
            : (
              <SetupLines
                engine={engine}
                secrets={{
                  brainUrl: base,
                  slug,
                  agentId: created.agent.id,
                  token: created.token,
                  hmacSecret: created.hmac_secret
                }}
              />
            )}
        </div>
        {created !== null && (
          <div className="self-start lg:sticky lg:top-4">
            <WaitForAgent slug={slug} agentId={created.agent.id} />
          </div>
        )}
      </div>
    </>
  )
}
