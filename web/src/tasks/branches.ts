import type { Schemas } from "../api/client.ts"

type Node = Schemas["TaskTreeNode"]

export interface Branch {
  readonly node: Node
  readonly children: ReadonlyArray<Branch>
}

/** The nodes below those that started them; a node whose parent is not among them is a root. No node occurs twice. */
export const branchesOf = (nodes: ReadonlyArray<Node>): ReadonlyArray<Branch> => {
  const known = new Set(nodes.map(({ task_id }) => task_id))
  const children = Map.groupBy(nodes, ({ parent_task_id }) => parent_task_id ?? "")
  const placed = new Set<Node>()
  const grow = (node: Node): ReadonlyArray<Branch> => {
    if (placed.has(node)) return []
    placed.add(node)
    return [{ node, children: (children.get(node.task_id) ?? []).flatMap(grow) }]
  }
  return nodes.filter(({ parent_task_id }) => parent_task_id === null || !known.has(parent_task_id)).flatMap(grow)
}
