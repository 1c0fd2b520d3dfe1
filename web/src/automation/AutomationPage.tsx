import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { KillSwitch } from "./KillSwitch.tsx"
import { OutcomeMark } from "./Outcome.tsx"
import { rulesQuery } from "./queries.ts"
import type { ListedRule, Rule } from "./rule.ts"
import { useCanChangeRule, useUpdateRule } from "./ruleActs.ts"
import { RuleSentence } from "./RuleSentence.tsx"
import { BreakerState, RuleState } from "./RuleState.tsx"

const refetchMillis = 10_000

const LastExecution = ({ last }: { readonly last: ListedRule["last_execution"] }) => {
  const { automation: texts } = useTexts()
  if (last === null) return <span className="text-soft">{texts.never}</span>
  return (
    <span className="whitespace-nowrap">
      <OutcomeMark outcome={last.outcome} />, <Time at={last.occurred_at} className="text-soft" />
    </span>
  )
}

const EnableButton = ({ rule, slug }: { readonly slug: string; readonly rule: Rule }) => {
  const { automation: texts } = useTexts()
  const update = useUpdateRule(slug, rule.id)
  return (
    <Button
      variant="quiet"
      aria-label={`${rule.is_enabled ? texts.disable : texts.enable}: ${rule.name}`}
      disabled={update.isPending}
      onClick={() => update.mutate({ is_enabled: !rule.is_enabled })}
    >
      {rule.is_enabled ? texts.disable : texts.enable}
    </Button>
  )
}

/** The project's rules in words, with what they did last; and the switch that stops all of them. */
export const AutomationPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/automation" })
  const { automation: texts } = useTexts()
  const isOperator = useCan(slug, "operator")
  const canChange = useCanChangeRule(slug)
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({ ...rulesQuery(slug), refetchInterval })
  const rules = list.data ?? []
  const createLink = isOperator && (
    <Link
      to="/projects/$slug/automation/new"
      params={{ slug }}
      className={buttonClass("primary")}
    >
      <Icon name="add" />
      {texts.create}
    </Link>
  )
  return (
    <>
      <PageHeader title={texts.title}>
        <div className="ml-auto">{rules.length > 0 && createLink}</div>
      </PageHeader>
      <KillSwitch slug={slug} />
      <ListFrame
        list={list}
        isEmpty={rules.length === 0}
        empty={<EmptyState title={texts.none} hint={texts.noneHint}>{createLink}</EmptyState>}
      >
        <Table
          label={texts.title}
          rows={rules}
          rowKey={({ id }) => id}
          columns={[
            {
              title: texts.rule,
              cell: (rule) => (
                <div className="grid gap-1 py-2">
                  <TextLink
                    to="/projects/$slug/automation/$ruleId"
                    params={{ slug, ruleId: rule.id }}
                    look="name"
                  >
                    {rule.name}
                  </TextLink>
                  <RuleSentence rule={rule} />
                </div>
              )
            },
            { title: texts.state, cell: (rule) => <RuleState rule={rule} /> },
            { title: texts.breaker, isMinor: true, cell: (rule) => <BreakerState slug={slug} rule={rule} /> },
            { title: texts.last, isMinor: true, cell: (rule) => <LastExecution last={rule.last_execution} /> },
            {
              title: "",
              isNumber: true,
              isMinor: true,
              cell: (rule) => canChange(rule) && <EnableButton slug={slug} rule={rule} />
            }
          ]}
        />
      </ListFrame>
    </>
  )
}
