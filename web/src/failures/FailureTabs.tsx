import { useTexts } from "../i18n/Language.tsx"
import { PageTabs } from "../ui/Tabs.tsx"

/** The tabs of Failures: what the brain recorded, and what engines still have. */
export const FailureTabs = ({ slug }: { readonly slug: string }) => {
  const { deadLetters, failures: texts } = useTexts()
  return (
    <PageTabs
      label={texts.title}
      slug={slug}
      tabs={[
        { to: "/projects/$slug/failures", text: texts.groups },
        { to: "/projects/$slug/dead-letters", text: deadLetters.title }
      ]}
    />
  )
}
