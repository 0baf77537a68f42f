export type Impact = 'patch' | 'minor' | 'major'

/** One difference between two contracts. */
export interface Change {
  impact: Impact
  /** `GET /runs/{id}`, or a part of the document outside the operations. */
  subject: string
  /** A phrase without a full stop. */
  text: string
  /** Which half of an exchange it is about; undefined when both may be. */
  side: 'request' | 'response' | undefined
  /** Set on a removal when the last release did not mark it as deprecated. */
  undeprecated?: true
}

/** The greatest of some impacts; undefined when there are none. */
export const greatest = (impacts: Impact[]): Impact | undefined =>
  (['major', 'minor', 'patch'] as const).find((impact) => impacts.includes(impact))

/** Which half of an exchange a location belongs to. */
export const sideOf = (path: string): Change['side'] =>
  /\/responses\//.test(path) ? 'response' : /\/(parameters|requestBody)(\/|$)/.test(path) ? 'request' : undefined

/** The operation that a location belongs to, or its part of the document. */
export const subjectOf = (parts: string[]): string =>
  parts[0] === 'paths' && parts.length > 2
    ? `${parts[2]?.toUpperCase()} ${parts[1]}`
    : parts.slice(0, 2).join(' ') || 'the document'
