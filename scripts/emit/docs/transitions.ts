import type { Graphviz } from '@hpcc-js/wasm-graphviz'
import { type Contract, componentOf, isAssumed, type Json } from '../../contract/index.js'
import { escapeHtml } from './html.js'
import { basisLink } from './links.js'

// Graphviz knows the widths of Courier, which are those of other fonts for code, by this name only.
const STYLE = 'bgcolor=transparent node [shape=box fontname=Courier fontsize=13 height=0.5] edge [arrowsize=0.7]'

/**
 * The state machine of a schema, drawn by Graphviz in the colours of the page, so that it is legible in light and dark;
 * the caption says the same in words.
 */
export function stateDiagram(graphviz: Graphviz, { document, register }: Contract, schema: string): string {
  const {
    'x-transitions': transitions,
    'x-transitions-basis': ids = [],
    properties,
  } = document.components.schemas[schema]
  const known: Json = document.components.schemas[componentOf(properties.status) ?? '']['x-known-values']
  const states = Object.entries<Json>(transitions)
  const lines = states.flatMap(([name, { next = [], terminal }]) => [
    `${name} [style="rounded${isAssumed(register, known[name]['x-basis']) ? ',dashed' : ''}" peripheries=${terminal ? 2 : 1}]`,
    ...next.map((each: string) => `${name} -> ${each}`),
  ])
  const sentences = escapeHtml(states.map(sentenceOf).join(' '))
  const svg = graphviz
    .dot(`digraph { ${STYLE} ${lines.join(';')} }`)
    .replace(
      /^[\s\S]*?<svg [^>]*viewBox="(\S+ \S+ (\S+) [^"]+)"[^>]*>/,
      `<svg viewBox="$1" width="$2" role="img" aria-label="${sentences}">`,
    )
    .replaceAll(/<!--[\s\S]*?-->|<title>.*?<\/title>|\n/g, (part) => (part === '\n' ? ' ' : ''))
    .replaceAll('"black"', '"currentColor"')
    .replaceAll('"Courier"', '"Courier,monospace"')
  const basis = ids.map((id: string) => `<a href="${basisLink(register, id)}">${id}</a>`).join(', ')
  return `<figure class="states">${svg}<figcaption>${sentences} A dashed outline marks a status that is assumed, a double one an end.${basis ? ` The transitions rest on ${basis}.` : ''}</figcaption></figure>`
}

const sentenceOf = ([name, { next = [] }]: [string, Json]): string =>
  next.length === 0
    ? `${name} is an end.`
    : `${name} leads to ${new Intl.ListFormat('en', { type: 'disjunction' }).format(next)}.`
