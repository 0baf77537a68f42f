import type { Graphviz } from '@hpcc-js/wasm-graphviz'
import { type Contract, componentOf, isAssumed, type Json } from '../../../contract/index.js'
import { basisLink } from '../links.js'

// Graphviz knows the widths of Courier, which are those of other fonts for code, by this name only.
const STYLE = 'bgcolor=transparent node [shape=box fontname=Courier fontsize=13 height=0.5] edge [arrowsize=0.7]'

/** The state machine of a schema in words, which the site shows with a diagram of it. */
export function statesText({ document }: Contract, schema: string): string {
  const { 'x-transitions': transitions, 'x-transitions-basis': ids = [] } = document.components.schemas[schema]
  const sentences = Object.entries<Json>(transitions)
    .filter(([, { next = [] }]) => next.length > 0)
    .map(sentenceOf)
    .join(' ')
  const basis = ids.map((id: string) => `[${id}](${basisLink(id)})`).join(', ')
  return basis ? `${sentences} The transitions rest on ${basis}.` : sentences
}

/** The diagram of a state machine, drawn by Graphviz in the colours of the page, so that it is legible in light and dark. */
export function stateDiagram(graphviz: Graphviz, { document, register }: Contract, schema: string): string {
  const { 'x-transitions': transitions, properties } = document.components.schemas[schema]
  const status: Json = document.components.schemas[componentOf(properties.status) ?? '']
  const basisOf = (value: string): string[] => (status['x-known-values']?.[value] ?? status)['x-basis']
  const states = Object.entries<Json>(transitions)
  const lines = states.flatMap(([name, { next = [], terminal }]) => [
    `${name} [style="rounded${isAssumed(register, basisOf(name)) ? ',dashed' : ''}" peripheries=${terminal ? 2 : 1}]`,
    ...next.map((each: string) => `${name} -> ${each}`),
  ])
  const label = states.map(sentenceOf).join(' ').replaceAll('`', '')
  const svg = graphviz
    .dot(`digraph { ${STYLE} ${lines.join(';')} }`)
    .replace(
      /^[\s\S]*?<svg [^>]*viewBox="(\S+ \S+ (\S+) [^"]+)"[^>]*>/,
      `<svg viewBox="$1" width="$2" role="img" aria-label="${label}">`,
    )
    .replaceAll(/<!--[\s\S]*?-->|<title>.*?<\/title>|\n/g, (part) => (part === '\n' ? ' ' : ''))
    .replaceAll('"black"', '"currentColor"')
    .replaceAll('"Courier"', '"Courier,monospace"')
  return `<figure class="states">${svg}<figcaption>A dashed outline marks a status that is assumed, a double one an end.</figcaption></figure>`
}

const sentenceOf = ([name, { next = [] }]: [string, Json]): string =>
  next.length === 0
    ? `\`${name}\` is an end.`
    : `\`${name}\` leads to ${new Intl.ListFormat('en', { type: 'disjunction' }).format(next.map((each: string) => `\`${each}\``))}.`
