import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { api, ApiError, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { approvalIdOf } from "../ui/ApprovalLink.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { useSubmit } from "../ui/useSubmit.ts"
import { BacktestPanel } from "./Backtest.tsx"
import { Executions } from "./Executions.tsx"
import { automationKey, ruleQuery } from "./queries.ts"
import { bodyOf, draftOf, fieldOf, isComplete, issuesOf, newDraft, type Rule, type RuleDraft } from "./rule.ts"
import { updateRule, useCanChangeRule } from "./ruleActs.ts"
import { RuleCommands } from "./RuleCommands.tsx"
import { RuleForm } from "./RuleForm.tsx"
import { BreakerState, RuleState } from "./RuleState.tsx"
import { useBacktest } from "./useBacktest.ts"

const refetchMillis = 10_000

const defaultDays = 7

const fields = ["name", "engine", "queue", "task_name", "exception", "priority", "runtime", "fingerprint", "actions"]
const otherFields = ["retry", "cancel", "notify", "max_executions_per_window", "window_seconds"]
const knownFields: ReadonlySet<string> = new Set([...fields, ...otherFields])

const BackLink = ({ slug }: { readonly slug: string }) => {
  const { automation: texts } = useTexts()
  return (
    <Link
      to="/projects/$slug/automation"
      params={{ slug }}
      aria-label={texts.back}
      title={texts.back}
      className="inline-flex rounded-base p-1 text-soft hover:bg-hover hover:text-ink"
    >
      <Icon name="back" />
    </Link>
  )
}

/** The form of a rule, and beside it what the rule would have done. */
const Editor = ({ initial, onSave, rule, slug }: {
  readonly slug: string
  readonly initial: RuleDraft
  /** The saved rule; undefined: it is new. */
  readonly rule?: Rule
  readonly onSave: (draft: RuleDraft) => Promise<void>
}) => {
  const { days = defaultDays } = useSearch({ strict: false })
  const navigate = useNavigate()
  const isOperator = useCan(slug, "operator")
  const canChange = useCanChangeRule(slug)
  const [draft, setDraft] = useState(initial)
  const { failure, isBusy, reset, submitWith } = useSubmit()
  const body = bodyOf(draft)
  const tried = isOperator && isComplete(draft) ? body : null
  const backtest = useBacktest(slug, tried, days)
  const refusal = failure ?? (backtest.isError ? backtest.error : null)
  const issues = refusal instanceof ApiError ? issuesOf(refusal.details) : []
  const isNamed = issues.length > 0 && issues.every((issue) => knownFields.has(fieldOf(issue, body)))
  const approvalId = approvalIdOf(failure)
  return (
    <div className="grid items-start gap-4 px-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <section className="min-w-0 rounded-base border border-line bg-paper">
        <RuleForm
          slug={slug}
          draft={draft}
          isNew={rule === undefined}
          isReadOnly={!isOperator || (rule !== undefined && !canChange(rule))}
          isBusy={isBusy}
          isChanged={rule === undefined || JSON.stringify(body) !== JSON.stringify(bodyOf(initial))}
          failure={isNamed || approvalId !== null ? null : failure}
          problemOf={(field) => issues.find((issue) => fieldOf(issue, body) === field)?.message ?? null}
          approvalId={approvalId}
          onChange={(change) => {
            setDraft((known) => ({ ...known, ...change }))
            reset()
          }}
          onSubmit={submitWith(() => onSave(draft))}
        />
      </section>
      {isOperator && (
        <BacktestPanel
          slug={slug}
          rule={tried}
          days={days}
          onDays={(chosen) =>
            void navigate({ to: ".", search: (known) => ({ ...known, days: chosen }), replace: true })}
          backtest={backtest}
        />
      )}
    </div>
  )
}

const Header = ({ children, slug, title }: {
  readonly slug: string
  readonly title: string
  readonly children?: ReactNode
}) => (
  <PageHeader title={title}>
    <div className="-order-1">
      <BackLink slug={slug} />
    </div>
    {children}
  </PageHeader>
)

/** Creates a rule. */
export const NewRulePage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/automation/new" })
  const { fingerprint } = useSearch({ from: "/signed-in/projects/$slug/automation/new" })
  const { automation: texts } = useTexts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  return (
    <div className="pb-6">
      <Header slug={slug} title={texts.newTitle} />
      <Editor
        slug={slug}
        initial={fingerprint === undefined
          ? newDraft
          : { ...newDraft, keys: ["fingerprint"], lines: { ...newDraft.lines, fingerprint } }}
        onSave={async (draft) => {
          const { id } = await unwrap(
            api.POST("/api/v1/projects/{slug}/automation/rules", { params: { path: { slug } }, body: bodyOf(draft) })
          )
          await queries.invalidateQueries({ queryKey: automationKey(slug) })
          await navigate({ to: "/projects/$slug/automation/$ruleId", params: { slug, ruleId: id } })
        }}
      />
    </div>
  )
}

/** Shows and changes a rule, with its log. */
export const RulePage = () => {
  const { ruleId, slug } = useParams({ from: "/signed-in/projects/$slug/automation/$ruleId" })
  const { automation: texts } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const { data: rule, error, refetch } = useQuery({ ...ruleQuery(slug, ruleId), refetchInterval })
  const notice = error !== null && (
    <ErrorNotice
      isPage={rule === undefined}
      error={error}
      onRetry={() => void refetch()}
    />
  )
  if (rule === undefined) return notice || <Loading />
  return (
    <div className="pb-6">
      <Header slug={slug} title={rule.name}>
        <RuleState rule={rule} />
        <BreakerState slug={slug} rule={rule} />
        <RuleCommands slug={slug} rule={rule} />
      </Header>
      {notice}
      <Editor
        // what another person saved replaces the form only once it is opened again
        key={rule.id}
        slug={slug}
        rule={rule}
        initial={draftOf(rule)}
        onSave={async (draft) => {
          // dry run and enabled have buttons of their own, whose change a form that was opened before must not undo
          const { dry_run: _, is_enabled: __, ...change } = bodyOf(draft)
          await updateRule(slug, ruleId, change)
          await queries.invalidateQueries({ queryKey: automationKey(slug) })
          toast.show({ title: texts.saved, text: "", tone: "plain" }).replace({ text: rule.name, tone: "good" })
        }}
      />
      <Executions slug={slug} ruleId={ruleId} />
    </div>
  )
}
