import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { type Contract, componentOf, type Json, jsonBody, startsRun, valuesOf } from '../../contract/index.js'
import { edited, interfaceOf, nameOf, type Property, parse, propertiesOf, typeOf } from '../members.js'
import { banner } from '../text.js'
import { namedQueries, withUndefinedParameters } from './queries.js'

/**
 * The types of openapi-typescript, and named types of schemas, queries and started runs.
 *
 * In `paths`, `components` and `operations` an open enumeration is a plain string: openapi-fetch 0.17 maps each body, and
 * would map `string & {}` as an object (openapi-ts/openapi-typescript#2765). In the named types it keeps its known values,
 * so that an editor completes them; the two are assignable to each other.
 */
export async function emitTypes(contract: Contract): Promise<Record<string, string>> {
  const document = closed(contract.document)
  const text = withUndefinedParameters(await generated(document))
  const plain = schemasIn(text)
  const open = schemasIn(await generated(document, openEnumeration))
  const isPlain = withoutOpenEnumerations(plain, open)
  const { types: queries, edits } = namedQueries(text, contract)
  for (const [name, { member, alias }] of plain) {
    const type = `export type ${alias.name.text} = ${open.get(name)?.member.type.getText()};`
    const named = `${open.get(name)?.comment}${type}`.replaceAll(/^ {8}/gm, '')
    edits.push([alias.getStart(), alias.end, withNames(named, plain)])
    if (isPlain(name)) edits.push([member.getStart(undefined, true), member.end, `${name}: ${alias.name.text};`])
  }
  const more = new Map([...queries, ...startedTypes(contract), ...knownTypes(document)])
  const names = [...plain.values()].map(({ alias }) => alias.name.text)
  return {
    'types.ts': withoutTags([banner() + withNames(edited(text, edits), plain, isPlain), ...more.values()].join('\n')),
    'named-types.ts': exportsOf(['components', 'operations', 'paths', ...names, ...more.keys()]),
  }
}

const exportsOf = (names: string[]): string =>
  `${banner()}export type {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './types.js'\n`

async function generated(document: Json, transform?: (schema: object) => ts.TypeNode | undefined): Promise<string> {
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, silent: true, ...(transform && { transform }) }
  return astToString(await openapiTS(structuredClone(document), options))
}

/** Without "additionalProperties: true", whose index signature would let a misspelt property compile. */
const closed = (document: Json): Json =>
  JSON.parse(
    JSON.stringify(document, (key, value) => (key === 'additionalProperties' && value === true ? undefined : value)),
  )

/** `'a' | 'b' | (string & {})`: an editor completes the known values, and new ones compile. */
function openEnumeration(schema: { 'x-extensible-enum'?: string[] }): ts.TypeNode | undefined {
  const { factory } = ts
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)
  const open = factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])])
  const values = schema['x-extensible-enum']?.map((value) =>
    factory.createLiteralTypeNode(factory.createStringLiteral(value)),
  )
  return values && factory.createUnionTypeNode([...values, factory.createParenthesizedType(open)])
}

/** The schemas in what openapi-typescript made: the property in `components`, and the named type that is derived from it. */
type SchemaTypes = Map<string, { member: Property; comment: string; alias: ts.TypeAliasDeclaration }>

function schemasIn(text: string): SchemaTypes {
  const source = parse(text)
  const schemas: SchemaTypes = new Map()
  for (const member of propertiesOf(typeOf(interfaceOf(source, 'components'), 'schemas'))) {
    const derived = `components['schemas']['${nameOf(member)}']`
    const alias = source.statements.find(
      (each): each is ts.TypeAliasDeclaration => ts.isTypeAliasDeclaration(each) && each.type.getText() === derived,
    )
    const comment = text.slice(member.getStart(source, true), member.getStart())
    if (alias) schemas.set(nameOf(member), { member, comment, alias })
  }
  return schemas
}

const COMPONENT_REFERENCE = /components\["schemas"\]\["([^"]+)"\]/g

/** Which schemas have no open enumeration, nor refer to one that has: those are the same in both. */
function withoutOpenEnumerations(plain: SchemaTypes, open: SchemaTypes): (name: string) => boolean {
  const texts = [...plain].map(([name, { member }]) => [name, member.type.getText()] as const)
  const openOnes = new Set(
    texts.filter(([name, text]) => open.get(name)?.member.type.getText() !== text).map(([name]) => name),
  )
  const refersToOne = (text: string) =>
    [...text.matchAll(COMPONENT_REFERENCE)].some(([, name = '']) => openOnes.has(name))
  for (let before = -1; before < openOnes.size; ) {
    before = openOnes.size
    for (const [name, text] of texts) if (refersToOne(text)) openOnes.add(name)
  }
  return (name) => !openOnes.has(name)
}

/** Refers to schemas by their named types, which hovers and messages of the compiler then show. */
const withNames = (text: string, schemas: SchemaTypes, isWanted = (_name: string) => true): string =>
  text.replaceAll(
    COMPONENT_REFERENCE,
    (written, name: string) => (isWanted(name) && schemas.get(name)?.alias.name.text) || written,
  )

/** The bodies of the operations that start runs, with the id that the client finds, which the contract does not promise. */
const startedTypes = ({ operations }: Contract): [string, string][] =>
  operations
    .filter(({ node }) => startsRun(node))
    .flatMap(({ responses }) => responses.filter(([status]) => status.startsWith('2')))
    .flatMap(([, response]) => componentOf(jsonBody(response)?.schema) ?? [])
    .map((schema) => {
      const doc = `/** A run that the client has started: {@link ${schema}}, whose id is there. */`
      const id = '/** Identifies the run. Use it to poll the run. */'
      return [
        startedName(schema),
        `${doc}\nexport type ${startedName(schema)} = ${schema} & {\n    ${id}\n    id: string;\n};\n`,
      ]
    })

/** `StartedRun` of `TriggeredRun`. */
export const startedName = (schema: string): string => `Started${schema.replace(/^Triggered/, '')}`

/** The values that the contract names of each enumeration, without the text that an open one also may be. */
const knownTypes = (document: Json): [string, string][] =>
  Object.entries<Json>(document.components.schemas)
    .flatMap(([name, schema]) => (valuesOf(schema)?.length ? [[name, schema, valuesOf(schema)!] as const] : []))
    .map(([name, schema, named]) => {
      const values = named.map((value) => `'${value}'`).join(' | ')
      const more = schema.enum ? 'there is no other' : 'others may come'
      const doc = `/** A value of {@link ${name}} that the contract names; ${more}. */`
      return [`Known${name}`, `${doc}\nexport type Known${name} = ${values};\n`]
    })

/** Comments as people write them: text instead of an indented `@description`, and a summary as a separate paragraph. */
const withoutTags = (text: string): string =>
  text
    .replaceAll(/^( *\*) ([^@\n].*)\n\1 @description /gm, '$1 $2.\n$1\n$1 ')
    .replaceAll(/(\*) @description /g, '$1 ')
    .replaceAll(/^( *\*) {5}/gm, '$1 ')
    .replaceAll(/^ *\* @constant *\n/gm, '')
