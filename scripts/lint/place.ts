import { dirname, join } from 'node:path'
import { isMap, isSeq, type Node } from 'yaml'
import { ENTRY, parseText, placeOf, type Source } from '../contract/source.js'

type Path = readonly (string | number)[]

/** The place in the source that a path of the bundle comes from, undefined when there is none. */
export function placeInSource(source: Source, path: Path): { file: string; line: number; column: number } | undefined {
  const [first, kind, name, ...rest] = path
  const component = `openapi/components/${kind}/${name}.yaml`
  const inComponent = first === 'components' && source.files.has(component)
  const { file, within } = follow(source, inComponent ? component : ENTRY, inComponent ? rest : path)
  const text = source.files.get(file)
  return text === undefined ? undefined : { file, ...placeOf(parseText(text), within) }
}

/** Goes along a path and through the references that stand in its way. */
function follow(source: Source, start: string, path: Path): { file: string; within: Path } {
  let file = start
  let within: (string | number)[] = []
  let document = parseText(source.files.get(file) ?? '').document
  for (const part of ['', ...path]) {
    if (part !== '') within.push(part)
    const node = document.getIn(within, true) as Node | undefined
    const reference = isMap(node) ? node.get('$ref') : undefined
    if (typeof reference === 'string' && !reference.includes('#')) {
      file = join(dirname(file), reference)
      within = []
      document = parseText(source.files.get(file) ?? '').document
    } else if (!isMap(node) && !isSeq(node)) break
  }
  return { file, within }
}
