import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { type RuleShape, valuesOf } from "./rule.ts"

/** The conditions and actions of a rule as phrases of the chosen language. */
const useRuleWords = () => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const anyOf = (values: ReadonlyArray<string>) => format.list(values.map((value) => `“${value}”`), "or")
  const conditionsOf = ({ conditions = {} }: RuleShape): ReadonlyArray<string> => {
    const { priority, runtime } = conditions
    return [
      ...(["task_name", "exception", "queue", "engine", "fingerprint"] as const).flatMap((key) => {
        const values = valuesOf(conditions[key])
        return values.length === 0 ? [] : [texts.conditions[key](anyOf(values))]
      }),
      ...(priority === undefined
        ? []
        : [texts.conditions.priority(format.list(valuesOf(priority).map((one) => texts.priorities[one]), "or"))]),
      ...(runtime?.min_ms === undefined ? [] : [texts.conditions.atLeast(format.duration(runtime.min_ms))]),
      ...(runtime?.max_ms === undefined ? [] : [texts.conditions.atMost(format.duration(runtime.max_ms))])
    ]
  }
  const actionsOf = ({ actions = [] }: RuleShape): ReadonlyArray<string> =>
    actions.flatMap((action) => {
      if (action.type === "retry") return [texts.actions.retry(format.count(action.max_retries ?? 3))]
      if (action.type === "cancel") return [texts.actions.cancel]
      const channels = action.channel_ids?.length ?? 0
      return [
        ...(action.in_app === false ? [] : [texts.actions.inbox]),
        ...(channels === 0 ? [] : [texts.actions.channels(format.count(channels))])
      ]
    })
  return { conditionsOf, actionsOf }
}

const Part = ({ children, name }: { readonly name: string; readonly children: string }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </>
)

/** A rule in words: its trigger, its conditions, and what it does. */
export const RuleSentence = ({ rule }: { readonly rule: RuleShape }) => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const words = useRuleWords()
  const conditions = words.conditionsOf(rule)
  const actions = words.actionsOf(rule)
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-px">
      <Part name={texts.whenPart}>{texts.triggers[rule.trigger]}</Part>
      {conditions.length > 0 && <Part name={texts.ifPart}>{format.list(conditions, "and")}</Part>}
      <Part name={texts.thenPart}>{actions.length === 0 ? texts.actions.none : format.list(actions, "and")}</Part>
    </dl>
  )
}
