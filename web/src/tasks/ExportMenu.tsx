import { useState } from "react"
import { base } from "../api/client.ts"
import { exportFormats } from "../exports/exportJob.ts"
import { ExportTasksDialog } from "../exports/ExportTasksDialog.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"

/**
 * Files of all tasks that match. The browser downloads them with the session, as they are written; in the background, a
 * job writes the file, which needs no connection.
 */
export const ExportMenu = ({ query, slug }: { readonly slug: string; readonly query: string }) => {
  const { exportJobs, tasks: texts } = useTexts()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Menu label={texts.export} button={<Icon name="download" />}>
        <ul className="grid min-w-40">
          {exportFormats.map((format) => (
            <li key={format}>
              <a
                download
                href={`${base}/api/v1/projects/${encodeURIComponent(slug)}/tasks?${new URLSearchParams({
                  format,
                  ...(query !== "" && { query })
                })}`}
                className="flex h-7.5 items-center rounded-small px-2 hover:bg-hover"
              >
                {texts.exportAs(format.toUpperCase())}
              </a>
            </li>
          ))}
          <li>
            <button
              type="button"
              onClick={() => setAsking(true)}
              className="flex h-7.5 w-full items-center rounded-small px-2 whitespace-nowrap hover:bg-hover"
            >
              {exportJobs.background}
            </button>
          </li>
        </ul>
      </Menu>
      {isAsking && (
        <ExportTasksDialog
          slug={slug}
          selection={{ kind: "query", query }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
