import type { Schemas } from "../api/client.ts"
import { RuleSentence } from "../automation/RuleSentence.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { JsonTree } from "../tasks/JsonTree.tsx"
import type { Approval } from "./queries.ts"

type Content = Readonly<Record<string, unknown>>

const isContent = (value: unknown): value is Content =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const jsonText = (value: unknown) => JSON.stringify(value, null, 2)

/** The contents of a rule have the rule's members. */
const ruleOf = ({ kind }: Approval, content: unknown): Schemas["RuleCreate"] | null => {
  if (!kind.startsWith("rule_") || !isContent(content)) return null
  return content as Schemas["RuleCreate"] // the brain stores all that a person can set of the rule
}

/** What the action changes, in words where it is a rule, by the members that differ, and as a whole. */
export const ApprovalChange = ({ approval }: { readonly approval: Approval }) => {
  const { approvals: texts } = useTexts()
  const { after, before, revision } = approval
  const sides = [{ name: texts.before, content: before }, { name: texts.after, content: after }]
    .filter(({ content }) => isContent(content))
  const changed = isContent(before) && isContent(after)
    ? Object.keys(after).filter((name) => jsonText(before[name]) !== jsonText(after[name]))
    : []
  return (
    <section aria-label={texts.change} className="border-t border-line">
      {sides.map(({ content, name }) => {
        const rule = ruleOf(approval, content)
        return rule !== null && (
          <div key={name} className="grid gap-0.5 px-4 pt-2">
            <h2 className="text-small text-soft">{name}</h2>
            <RuleSentence rule={rule} />
          </div>
        )
      })}
      {changed.length > 0 && (
        <ul className="grid gap-0.5 px-4 py-2">
          {changed.map((name) => (
            <li key={name} className="min-w-0 break-words">
              <code>{name}</code>: <del>{jsonText((before as Content)[name])}</del> →{" "}
              {/* `changed` is of two contents */}
              <ins>{jsonText((after as Content)[name])}</ins>
            </li>
          ))}
        </ul>
      )}
      {sides.map(({ content, name }) => (
        <JsonTree key={name} heading="h2" label={name} value={content} text={jsonText(content)} />
      ))}
      {revision !== null && <p className="figures px-4 pb-3 text-soft">{texts.revision(revision)}</p>}
    </section>
  )
}
