import type { Schemas } from "../api/client.ts"

type Node = Schemas["TaskTreeNode"]

export interface Branch {
  readonly node: Node
  readonly children: ReadonlyArray<Branch>
}

/** Map.groupBy, which Node.js 20 and older browsers do not have. In the order of the first of each key. */
export const groupBy = <A, K>(items: ReadonlyArray<A>, keyOf: (item: A) => K): ReadonlyMap<K, ReadonlyArray<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** The nodes below those that started them; a node whose parent is not among them is a root. No node occurs twice. */
export const branchesOf = (nodes: ReadonlyArray<Node>): ReadonlyArray<Branch> => {
  const known = new Set(nodes.map(({ task_id }) => task_id))
  const children = groupBy(nodes, ({ parent_task_id }) => parent_task_id ?? "")
  const placed = new Set<Node>()
  const grow = (node: Node): ReadonlyArray<Branch> => {
    if (placed.has(node)) return []
    placed.add(node)
    return [{ node, children: (children.get(node.task_id) ?? []).flatMap(grow) }]
  }
  const roots = nodes.filter(({ parent_task_id }) => parent_task_id === null || !known.has(parent_task_id))
  return [...roots, ...nodes].flatMap(grow) // what is left hangs below a circle of parents, which begins with its oldest task
}
