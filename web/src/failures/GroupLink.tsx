import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { linkClass } from "../ui/TextLink.tsx"

type Group = Pick<Schemas["FailureGroup"], "fingerprint" | "open_count" | "occurrences">

/** A failure group by the number of tasks that fail like this; of a recovered one, by its failed attempts. */
export const GroupLink = ({ group: { fingerprint, occurrences, open_count }, slug }: {
  readonly slug: string
  readonly group: Group
}) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  return (
    <Link to="/projects/$slug/failures/$fingerprint" params={{ slug, fingerprint }} className={linkClass.text}>
      {open_count > 0 ? texts.failLikeThis(format.count(open_count)) : texts.failedLikeThis(format.count(occurrences))}
    </Link>
  )
}
