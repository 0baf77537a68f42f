import type { Message } from '../judge/result.js'

/** Ends the whole check. */
export class EndedError extends Error {
  override name = 'EndedError'
  constructor(readonly reason: Message) {
    super('The check ended early.')
  }
}

/** Is thrown instead of sending what may not be sent, such as a trigger that could start more runs than announced. */
export class LeftOutError extends Error {
  override name = 'LeftOutError'
}
