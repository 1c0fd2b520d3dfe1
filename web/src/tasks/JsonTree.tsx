import { LosslessNumber } from "lossless-json"
import { type ReactNode, useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { Icon } from "../ui/Icon.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { findMembers, membersOf } from "./jsonMembers.ts"

/** Members that are shown before a button shows the rest. */
const firstMembers = 100
/** Nesting that is open at first. */
const openDepth = 2

const textOf = (value: unknown): string =>
  value instanceof LosslessNumber ? value.toString() : typeof value === "string" ? JSON.stringify(value) : String(value)

/** Beside a text, number, boolean or null: what leads from it elsewhere. `path` are the names down to it. */
export type ScalarLink = (path: ReadonlyArray<string | number>, value: string) => ReactNode

const Member = ({ depth, isFound = false, link, name, path, sought, value }: {
  readonly name: string | null
  readonly path: ReadonlyArray<string | number>
  readonly link: ScalarLink | undefined
  readonly value: unknown
  readonly depth: number
  /** The search has found its name. */
  readonly isFound?: boolean
  /** Empty: nothing is searched for. */
  readonly sought: string
}) => {
  const { task: texts } = useTexts()
  const format = useFormat()
  const members = membersOf(value)
  const [isOpen, setOpen] = useState(depth < openDepth)
  const [isWhole, setWhole] = useState(false)
  const label = name !== null && <span className="text-soft">{name}:{" "}</span>
  if (members === null) {
    return (
      <div className="group pl-5">
        {label}
        <span className="break-words whitespace-pre-wrap">{textOf(value)}</span>
        {link?.(path, String(value))}
      </div>
    )
  }
  const isArray = Array.isArray(value)
  const found = findMembers(members, sought)
  const shown = isWhole ? found : found.slice(0, firstMembers)
  const isShown = isOpen || isFound || (sought !== "" && found.length > 0)
  return (
    <div className={depth === 0 ? "" : "pl-5"}>
      <button
        type="button"
        aria-expanded={isShown}
        className="-ml-5 inline-flex items-center gap-0.5 rounded-small text-left hover:bg-hover"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isShown ? "down" : "chevron"} className="text-soft" />
        <span>
          {label}
          <span className="text-soft">
            {isArray ? `[${format.number(members.length)}]` : `{${format.number(members.length)}}`}
          </span>
        </span>
      </button>
      {isShown && (
        <div className="border-l border-line">
          {shown.map(({ isByName, name, value }) => (
            <Member
              key={name}
              name={name}
              value={value}
              depth={depth + 1}
              path={[...path, isArray ? Number(name) : name]}
              link={link}
              sought={isByName ? "" : sought}
              isFound={isByName}
            />
          ))}
          {shown.length < found.length && (
            <button
              type="button"
              className={`${linkClass.text} ml-5 text-soft`}
              onClick={() => setWhole(true)}
            >
              {texts.more(format.number(found.length - shown.length))}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

/** A value as the agent sent it, digit for digit; `text` is what is copied. */
export const JsonTree = ({ heading: Heading = "h3", label, link, text, value }: {
  readonly label: string
  /** The level below that of what it is in: a panel, unless it is in the page itself. */
  readonly heading?: "h2" | "h3"
  readonly link?: ScalarLink
  readonly value: unknown
  readonly text: string
}) => {
  const { task: texts } = useTexts()
  const [sought, setSought] = useState("")
  const members = membersOf(value)
  return (
    <section aria-label={label} className="border-b border-line last:border-0">
      <div className="flex h-9 items-center gap-2 px-4">
        <Heading className="font-medium">{label}</Heading>
        <CopyButton text={text} label={label} />
        {members !== null && members.length > 0 && (
          <input
            type="search"
            value={sought}
            onChange={({ target }) => setSought(target.value)}
            aria-label={`${texts.search}: ${label}`}
            placeholder={texts.search}
            className="ml-auto h-6 w-48 rounded-small border border-line bg-paper px-2"
          />
        )}
      </div>
      <div className="overflow-x-auto px-4 pb-3 pl-9 font-mono text-[12px]">
        <Member name={null} path={[]} link={link} value={value} depth={0} sought={sought.toLowerCase()} />
      </div>
    </section>
  )
}
