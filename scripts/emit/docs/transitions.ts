import type { Contract, Json } from '../../contract/index.js'
import { escapeHtml } from './html.js'
import { basisLink } from './links.js'

interface State {
  name: string
  next: string[]
  terminal: boolean
  assumed: boolean
  /** The middle of its box. */
  x: number
  y: number
}

const BOX = { width: 136, height: 40 }
const COLUMN = 90
const ROW = 96
const MARGIN = 2

/**
 * The state machine of a schema as a drawing in the text, legible in light and dark because it takes the colours of
 * the page, with the same in words for who does not see it.
 */
export function stateDiagram(contract: Contract, schema: string): string {
  const states = layOut(contract, schema)
  const width = Math.max(...states.map(({ x }) => x)) + BOX.width / 2 + MARGIN
  const height = Math.max(...states.map(({ y }) => y)) + BOX.height / 2 + MARGIN
  const sentences = states.map(sentenceOf).join(' ')
  const ids: string[] = contract.document.components.schemas[schema]['x-transitions-basis'] ?? []
  const basis = ids.map((id) => `<a href="${basisLink(contract.register, id)}">${id}</a>`).join(', ')
  const name = schema.toLowerCase()
  return [
    '<figure class="states">',
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${name}-states-title ${name}-states-text">`,
    `<title id="${name}-states-title">The statuses of a ${name}</title>`,
    `<desc id="${name}-states-text">${escapeHtml(sentences)}</desc>`,
    ...states.flatMap((state) => state.next.map((next) => arrow(state, find(states, next)))),
    ...states.map(box),
    '</svg>',
    `<figcaption>${escapeHtml(sentences)} A dashed outline marks a status that is assumed, a double one an end.${basis ? ` The transitions rest on ${basis}.` : ''}</figcaption>`,
    '</figure>',
  ].join('')
}

/** Each state below those that lead to it; the states of a row side by side, in the order of the contract. */
function layOut({ document, register }: Contract, schema: string): State[] {
  const { 'x-transitions': transitions, properties } = document.components.schemas[schema]
  const status = properties.status.$ref.split('/').at(-1)
  const known: Json = document.components.schemas[status]['x-known-values']
  const isAssumed = (id: string) => register.find((entry) => entry.id === id)?.kind === 'assumed'
  const names = Object.keys(transitions)
  const nextOf = (name: string): string[] => transitions[name].next ?? []
  const rank = (name: string, seen: string[] = []): number =>
    Math.max(
      0,
      ...names
        .filter((other) => nextOf(other).includes(name) && !seen.includes(other))
        .map((other) => rank(other, [...seen, name]) + 1),
    )
  const ranks = names.map((name) => rank(name))
  const widest = Math.max(...ranks.map((each) => ranks.filter((other) => other === each).length))
  return names.map((name, index) => {
    const row = names.filter((_, other) => ranks[other] === ranks[index])
    const column = (2 * row.indexOf(name) - (row.length - 1)) * COLUMN
    return {
      name,
      next: nextOf(name),
      terminal: transitions[name].terminal === true,
      assumed: (known[name]?.['x-basis'] ?? []).every(isAssumed),
      x: MARGIN + BOX.width / 2 + (widest - 1) * COLUMN + column,
      y: MARGIN + BOX.height / 2 + (ranks[index] ?? 0) * ROW,
    }
  })
}

function box({ name, terminal, assumed, x, y }: State): string {
  const outline = (inset: number) =>
    `<rect x="${x - BOX.width / 2 + inset}" y="${y - BOX.height / 2 + inset}" width="${BOX.width - 2 * inset}" height="${BOX.height - 2 * inset}" rx="${10 - inset}" class="${assumed ? 'assumed' : 'known'}"></rect>`
  return `${outline(0)}${terminal ? outline(4) : ''}<text x="${x}" y="${y + 4}" text-anchor="middle">${name}</text>`
}

/** Straight to the next row; past a row in between, around its boxes. */
function arrow(from: State, to: State): string {
  const aside = Math.sign(to.x - from.x)
  const start = { x: from.x + aside * (BOX.width / 4), y: from.y + BOX.height / 2 }
  const end = { x: to.x - aside * (to.y - from.y > ROW ? 0 : BOX.width / 4), y: to.y - BOX.height / 2 - 1 }
  const path =
    to.y - from.y > ROW
      ? `M${from.x + aside * (BOX.width / 2)} ${from.y} Q${to.x} ${from.y} ${end.x} ${end.y}`
      : `M${start.x} ${start.y} C${start.x} ${start.y + ROW / 4} ${end.x} ${end.y - ROW / 4} ${end.x} ${end.y}`
  const head = `M${end.x - 4} ${end.y - 7} L${end.x + 4} ${end.y - 7} L${end.x} ${end.y} z`
  return `<path d="${path}" class="arrow"></path><path d="${head}"></path>`
}

const find = (states: State[], name: string): State => {
  const state = states.find((each) => each.name === name)
  if (!state) throw new Error(`x-transitions leads to "${name}", which is no state of it. Add it.`)
  return state
}

const sentenceOf = ({ name, next, terminal }: State): string =>
  terminal ? `${name} is an end.` : `${name} leads to ${list(next)}.`

const list = (names: string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
