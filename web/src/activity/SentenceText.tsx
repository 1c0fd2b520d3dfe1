import { Fragment, type ReactNode } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { Sentence } from "./sentence.ts"
import { nameOfThing, type Thing } from "./thing.ts"
import { ThingLink } from "./ThingLink.tsx"

/** Stand in the catalogue's sentence for who did it, and for the name of the thing. */
const marks = { who: "\u0001", what: "\u0002" } as const

/** A row as a sentence, in which the person and the thing are links. */
export const SentenceText = ({ sentence, slug, who }: {
  readonly sentence: Sentence
  readonly slug: string | null
  /** Of what a rule did, the rule stands there. */
  readonly who: ReactNode
}) => {
  const { activity: texts } = useTexts()
  const format = useFormat()
  const linkOf = (thing: Thing) => <ThingLink slug={slug} thing={thing}>{nameOfThing(thing)}</ThingLink>
  const fill = (text: string, nodes: Readonly<Record<string, ReactNode>>) => (
    <span className="[overflow-wrap:anywhere]">
      {text.split(/([\u0001\u0002])/).map((part, index) => <Fragment key={index}>{nodes[part] ?? part}</Fragment>)}
    </span>
  )
  const ofRule = (rule: Thing) => fill(texts.rule(marks.what), { [marks.what]: linkOf(rule) })
  switch (sentence.kind) {
    case "act": {
      const { noun, rule, thing, verb } = sentence
      return fill(texts.acts[verb](marks.who, texts.things[noun](marks.what)), {
        [marks.who]: rule === undefined ? who : ofRule(rule),
        [marks.what]: linkOf(thing)
      })
    }
    case "retriedTasks": {
      const { count, thing } = sentence
      const nodes = { [marks.who]: who, [marks.what]: linkOf(thing) }
      return thing.name === null
        ? fill(texts.retriedTasksIn(marks.who, format.count(count), texts.things.bulk_retry(marks.what)), nodes)
        : fill(texts.retriedTasksOf(marks.who, format.count(count), marks.what), nodes)
    }
    case "deletedTasks":
      return fill(texts.deletedTasks(marks.who, format.count(sentence.count)), { [marks.who]: who })
    case "tripped":
      return fill(texts.tripped(marks.who), { [marks.who]: ofRule(sentence.rule) })
    case "signedIn":
    case "signedOut":
      return fill(texts[sentence.kind](marks.who), { [marks.who]: who })
  }
}
