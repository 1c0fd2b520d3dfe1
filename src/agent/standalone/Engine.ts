declare const isEngine: unique symbol

/** A task engine, from an adapter of this package. An adapter of your own needs Effect: `svc-agent/effect`. */
export interface Engine {
  readonly name: string
  readonly [isEngine]: true
}
