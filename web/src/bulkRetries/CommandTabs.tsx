import { useTexts } from "../i18n/Language.tsx"
import { PageTabs } from "../ui/Tabs.tsx"

/** The tabs of Commands: single ones, the retries of many tasks, and their deletions and cancellations. */
export const CommandTabs = ({ slug }: { readonly slug: string }) => {
  const { bulkJobs, bulkRetries: texts, commands } = useTexts()
  return (
    <PageTabs
      label={commands.title}
      slug={slug}
      tabs={[
        { to: "/projects/$slug/commands", text: texts.singleCommands },
        { to: "/projects/$slug/bulk-retries", text: texts.title },
        { to: "/projects/$slug/bulk-jobs", text: bulkJobs.title }
      ]}
    />
  )
}
