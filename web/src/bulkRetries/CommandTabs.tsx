import { useTexts } from "../i18n/Language.tsx"
import { PageTabs } from "../ui/PageTabs.tsx"

/** The tabs of Commands: single ones, and the retries of many tasks. */
export const CommandTabs = ({ slug }: { readonly slug: string }) => {
  const { bulkRetries: texts, commands } = useTexts()
  return (
    <PageTabs
      label={commands.title}
      slug={slug}
      tabs={[
        { to: "/projects/$slug/commands", text: texts.singleCommands },
        { to: "/projects/$slug/bulk-retries", text: texts.title }
      ]}
    />
  )
}
