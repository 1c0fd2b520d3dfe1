import { useEffect, useId, useRef, useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"
import { type Item, useItems } from "./useItems.ts"

const Option = ({ id, isActive, item, onPoint, onRun }: {
  readonly id: string
  readonly item: Item
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onRun: () => void
}) => {
  const option = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" })
  }, [isActive])
  return (
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={isActive}
      className="flex cursor-pointer items-baseline gap-3 rounded-base px-3 py-2 aria-selected:bg-press"
      onPointerMove={onPoint}
      onClick={onRun}
    >
      <span className="truncate">{item.title}</span>
      {item.hint !== undefined && (
        <span className="ml-auto max-w-[60%] shrink-0 truncate font-mono text-small text-soft">{item.hint}</span>
      )}
    </div>
  )
}

/**
 * Goes anywhere and acts on what is selected or open, by a few letters: a combobox in the browser's own dialog, driven by
 * the arrow keys, Enter and Escape.
 */
export const Palette = ({ onClose, slug }: { readonly slug: string | undefined; readonly onClose: () => void }) => {
  const { palette: texts } = useTexts()
  const format = useFormat()
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState("")
  const [active, setActive] = useState(0)
  const { isSearching, items, limit } = useItems(slug, typed)
  const listId = useId()
  const optionId = (index: number) => `${listId}-${index}`
  const activeIndex = Math.min(active, items.length - 1)
  useEffect(() => dialog.current?.showModal(), [])
  const run = (item: Item | undefined) => {
    if (item === undefined) return
    dialog.current?.close() // first: an action may open a dialog of its own
    item.run()
  }
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: activeIndex + 1,
    ArrowUp: activeIndex - 1,
    PageDown: Math.min(items.length - 1, activeIndex + 8),
    PageUp: Math.max(0, activeIndex - 8)
  }
  return (
    <dialog
      ref={dialog}
      aria-label={texts.label}
      onClose={onClose}
      onClick={({ currentTarget, target }) => target === currentTarget && currentTarget.close()}
      className="mx-auto mt-[12vh] w-[min(40rem,calc(100vw-32px))] rounded-large border border-line bg-paper p-0 text-ink shadow-xl"
    >
      <div className="flex items-center gap-2 border-b border-line px-4">
        <Icon name="search" className="text-soft" />
        <input
          role="combobox"
          aria-label={texts.label}
          aria-expanded={items.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={activeIndex < 0 ? undefined : optionId(activeIndex)}
          value={typed}
          placeholder={texts.placeholder}
          maxLength={200}
          spellCheck={false}
          autoComplete="off"
          className="h-11 min-w-0 flex-1 bg-transparent text-large outline-none"
          onChange={({ target }) => {
            setTyped(target.value)
            setActive(0)
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return // Enter and arrows belong to the input method
            if (event.key === "Enter") {
              event.preventDefault()
              return run(items[activeIndex])
            }
            const next = moves[event.key]
            if (next === undefined || items.length === 0) return
            event.preventDefault()
            setActive((next + items.length) % items.length)
          }}
        />
      </div>
      <div id={listId} role="listbox" aria-label={texts.label} className="max-h-[50vh] overflow-y-auto p-2">
        {[...Map.groupBy(items, ({ group }) => group)].map(([group, members]) => (
          <div key={group} role="group" aria-label={texts.groups[group]} className="not-first:mt-2">
            <div aria-hidden="true" className="px-3 py-0.5 text-small text-soft">{texts.groups[group]}</div>
            {members.map((item) => {
              const index = items.indexOf(item)
              return (
                <Option
                  key={item.id}
                  id={optionId(index)}
                  item={item}
                  isActive={index === activeIndex}
                  onPoint={() => setActive(index)}
                  onRun={() =>
                    run(item)}
                />
              )
            })}
          </div>
        ))}
      </div>
      <p role="status" className="border-t border-line px-4 py-2 text-small text-soft">
        {isSearching
          ? `${texts.searching}…`
          : [items.length === 0 ? texts.nothing : texts.found(format.count(items.length)), limit].filter((text) =>
            text !== null
          ).join(" · ")}
      </p>
    </dialog>
  )
}
