import { Link } from "@tanstack/react-router"
import { hierarchy, tree } from "d3-hierarchy"
import { useTexts } from "../i18n/Language.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import type { Branch } from "./branches.ts"

const width = 190
const height = 34
/** From the left edge of a node to the next one's, and from the top to the next one's. */
const columnWidth = 230
const rowHeight = 44
const margin = 16

/** Joins several roots, and is not drawn. */
interface Forest {
  readonly node: null
  readonly children: ReadonlyArray<Branch>
}

/** Each task beside the one that started it, from left to right. */
export const TaskGraph = ({ branches, slug }: {
  readonly slug: string
  readonly branches: ReadonlyArray<Branch>
}) => {
  const { states, task: texts } = useTexts()
  const laid = tree<Forest | Branch>().nodeSize([rowHeight, columnWidth])(
    hierarchy<Forest | Branch>({ node: null, children: branches }, ({ children }) => children)
  )
  const drawn = laid.descendants().flatMap((place) =>
    place.data.node === null ? [] : [{ ...place, node: place.data.node }]
  )
  const top = Math.min(...drawn.map(({ x }) => x))
  const places = drawn.map(({ node, parent, x, y }) => ({
    node,
    left: margin + y - columnWidth, // the forest has the first column
    top: margin + x - top,
    parent: parent === null || parent.data.node === null
      ? null
      : { left: margin + parent.y - columnWidth, top: margin + parent.x - top }
  }))
  return (
    <div className="max-h-105 overflow-auto" role="group" aria-label={texts.treeGraph} tabIndex={0}>
      <div
        className="relative"
        style={{
          width: Math.max(...places.map(({ left }) => left)) + width + margin,
          height: Math.max(...places.map(({ top }) => top)) + height + margin
        }}
      >
        <svg className="absolute inset-0 size-full" aria-hidden="true">
          {places.map(({ left, node, parent, top }) =>
            parent !== null && (
              <path
                key={node.task_id}
                d={`M${parent.left + width} ${parent.top + height / 2}C${parent.left + columnWidth} ${
                  parent.top + height / 2
                } ${left - (columnWidth - width)} ${top + height / 2} ${left} ${top + height / 2}`}
                fill="none"
                stroke="currentColor"
                className="text-soft"
              />
            )
          )}
        </svg>
        {places.map(({ left, node, top }) => (
          <Link
            key={`${node.engine} ${node.task_id}`}
            to="/projects/$slug/tasks/$engine/$taskId"
            params={{ slug, engine: node.engine, taskId: node.task_id }}
            title={`${node.name}, ${states[node.state]}`}
            className="absolute flex items-center gap-2 rounded-base border border-line bg-paper px-2 hover:bg-hover chosen:border-accent chosen:font-semibold"
            style={{ left, top, width, height }}
          >
            <StateShape state={node.state} />
            <span className="truncate">{node.name}</span>
          </Link>
        ))}
      </div>
    </div>
  )
}
