import { base } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"

const formats = ["csv", "json", "xlsx"] as const

/** Files of all tasks that match. The browser downloads them with the session, as they are written. */
export const ExportMenu = ({ query, slug }: { readonly slug: string; readonly query: string }) => {
  const { tasks: texts } = useTexts()
  return (
    <Menu label={texts.export} button={<Icon name="download" />}>
      <ul className="grid w-[10rem]">
        {formats.map((format) => (
          <li key={format}>
            <a
              download
              href={`${base}/api/v1/projects/${encodeURIComponent(slug)}/tasks?${new URLSearchParams({
                format,
                ...(query !== "" && { query })
              })}`}
              className="flex h-[30px] items-center rounded-small px-3 hover:bg-hover"
            >
              {texts.exportAs(format.toUpperCase())}
            </a>
          </li>
        ))}
      </ul>
    </Menu>
  )
}
