import { useTexts } from "../i18n/Language.tsx"
import { Toolbar } from "../ui/Toolbar.tsx"
import { toggleKind, type useMarks } from "./marks.ts"
import { MarkShape } from "./MarkShape.tsx"

/** The kinds of marks that charts have, to hide and show each. It has its height before the marks are read. */
export const MarkLegend = ({ marks }: { readonly marks: ReturnType<typeof useMarks> }) => {
  const { overview: { marks: texts } } = useTexts()
  if (marks === null) return null
  if (marks.kinds.length === 0) return <div className="min-h-6" />
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-2 text-small text-soft">
      <span>{texts.title}</span>
      <Toolbar label={texts.title} className="flex flex-wrap gap-1">
        {marks.kinds.map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={!marks.hidden.has(kind)}
            title={marks.hidden.has(kind) ? texts.show : texts.hide}
            className="inline-flex h-6 items-center gap-1 rounded-base px-2 line-through hover:bg-hover hover:text-ink chosen:text-ink chosen:no-underline"
            onClick={() => toggleKind(kind)}
          >
            <MarkShape kind={kind} />
            {texts.kinds[kind]}
          </button>
        ))}
      </Toolbar>
    </div>
  )
}
