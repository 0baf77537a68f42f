import type { Contract, Operation } from '../../contract/index.js'
import { type Edit, edited, interfaceOf, nameOf, parse, propertiesOf, textOf, typeOf } from '../members.js'
import { isPaged } from './contract.js'

/**
 * The names of the types of queries, by operation: `ListQuery` for lists that have no other parameters than every list, and
 * for any other operation a separate type.
 */
export function queryNames({ document, operations }: Contract): Map<string, string> {
  const queryOf = ({ parameters }: Operation) =>
    parameters.filter((each) => each.in === 'query').map((each) => JSON.stringify(each))
  const [first = [], ...others] = operations.filter((each) => isPaged(each, document)).map(queryOf)
  const common = first.filter((parameter) => others.every((other) => other.includes(parameter)))
  return new Map(
    operations
      .filter((operation) => queryOf(operation).length > 0)
      .map((operation) => {
        const isList = isPaged(operation, document) && queryOf(operation).length === common.length
        return [
          operation.id,
          isList ? 'ListQuery' : `${operation.id.replace(/^./, (letter) => letter.toUpperCase())}Query`,
        ]
      }),
  )
}

/** Moves the query of each operation into a named type. Returns these types, and the edits that refer to them. */
export function namedQueries(text: string, contract: Contract) {
  const names = queryNames(contract)
  const types = new Map<string, string>()
  const edits: Edit[] = []
  for (const operation of propertiesOf(interfaceOf(parse(text), 'operations'))) {
    const query = typeOf(typeOf(operation.type, 'parameters'), 'query')
    const name = names.get(nameOf(operation))
    if (!query || !name) continue
    const members = propertiesOf(query).map((each) => `    ${textOf(each).replaceAll(/^ {12}/gm, '')};\n`)
    const doc = name === 'ListQuery' ? 'The query of a list.' : `The query of \`${nameOf(operation)}\`.`
    types.set(name, `/** ${doc} */\nexport type ${name} = {\n${members.join('')}};\n`)
    edits.push([query.getStart(), query.end, name])
  }
  return { types, edits }
}

/**
 * A parameter that may be left out may also be undefined, under `exactOptionalPropertyTypes` too. All of a location may not:
 * openapi-msw would find no query.
 */
export function withUndefinedParameters(text: string): string {
  const parameters = propertiesOf(interfaceOf(parse(text), 'operations')).flatMap(({ type }) =>
    propertiesOf(typeOf(type, 'parameters')).flatMap((location) => propertiesOf(location.type)),
  )
  const optional = parameters.filter(({ questionToken }) => questionToken)
  return edited(
    text,
    optional.map(({ type }): Edit => [type.end, type.end, ' | undefined']),
  )
}
