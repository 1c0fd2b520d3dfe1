import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { rulesQuery } from "../automation/queries.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useProject } from "../shell/useProject.ts"
import { Icon } from "../ui/Icon.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { useStored } from "../ui/useStored.ts"

const link = `${linkClass.text} hover:text-ink`

/** In the shop of `svc serve --demo` (src/cli/demo): where to see what makes svc different. */
export const DemoGuide = ({ slug }: { readonly slug: string }) => {
  const { overview: { demo: texts, dismiss } } = useTexts()
  const { project } = useProject(slug)
  const [stored, store] = useStored("svc.demoGuide")
  const isShown = project?.environment === "demo" && slug === "shop" && stored === null
  const { data: [rule] = [] } = useQuery({ ...rulesQuery(slug), enabled: isShown })
  if (!isShown) return null
  return (
    <section
      aria-label={texts.label}
      className="mx-4 flex items-start gap-3 rounded-base border border-line bg-paper px-4 py-2"
    >
      <p className="flex flex-1 flex-wrap gap-x-3 gap-y-0.5 text-soft">
        <span className="font-medium text-ink">{texts.intro}</span>
        <Link to="/projects/$slug/failures" params={{ slug }} className={link}>{texts.failures}</Link>
        <Link to="/projects/$slug/notifications" params={{ slug }} className={link}>{texts.alert}</Link>
        <Link to="/projects/$slug/approvals" params={{ slug }} className={link}>{texts.approval}</Link>
        {rule === undefined
          ? <Link to="/projects/$slug/automation" params={{ slug }} className={link}>{texts.rule}</Link>
          : (
            <Link to="/projects/$slug/automation/$ruleId" params={{ slug, ruleId: rule.id }} className={link}>
              {texts.rule}
            </Link>
          )}
      </p>
      <button
        type="button"
        aria-label={dismiss}
        className="rounded-small p-0.5 text-soft hover:bg-hover hover:text-ink"
        onClick={() => store("dismissed")}
      >
        <Icon name="close" />
      </button>
    </section>
  )
}
