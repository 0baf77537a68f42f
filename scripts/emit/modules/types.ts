import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { Contract, Json } from '../../contract/index.js'
import { banner } from '../text.js'

/** The types of openapi-typescript, with the schemas as named types and with open enumerations, and those of the main entry. */
export async function emitTypes({ document }: Contract): Promise<Record<string, string>> {
  const nodes = await openapiTS(closed(document), {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    transform: (schema) => {
      const values = (schema as { 'x-extensible-enum'?: string[] })['x-extensible-enum']
      return values && openEnumeration(values)
    },
  })
  const { text, names } = named(astToString(nodes))
  const known = knownTypes(document)
  return {
    'types.ts': [banner() + text, ...known.values()].join('\n'),
    'named-types.ts': exportsOf([...names, ...known.keys()]),
  }
}

const exportsOf = (names: string[]): string =>
  `${banner()}export type {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './types.js'\n`

/**
 * Moves each schema into the named type that openapi-typescript derives from it: only a type that is written out under its
 * name is called so in hovers and in messages of the compiler. `names` are these, and what openapi-fetch takes: the names
 * that openapi-typescript derives of parameters, responses and headers are in `./types` only.
 */
function named(text: string): { text: string; names: string[] } {
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest, true)
  const components = source.statements.find(
    (each): each is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(each) && each.name.text === 'components',
  )
  const schemas = components?.members.find((each) => each.name?.getText() === 'schemas')
  if (!schemas || !ts.isPropertySignature(schemas) || !schemas.type || !ts.isTypeLiteralNode(schemas.type))
    return { text, names: INTERFACES }
  const edits: [from: number, to: number, by: string][] = []
  const names = new Map<string, string>()
  for (const member of schemas.type.members) {
    if (!ts.isPropertySignature(member) || !member.type) continue
    const name = member.name.getText()
    const alias = source.statements.find(
      (each): each is ts.TypeAliasDeclaration =>
        ts.isTypeAliasDeclaration(each) && each.type.getText() === `components['schemas']['${name}']`,
    )
    if (!alias) continue
    names.set(name, alias.name.text)
    const comment = text.slice(member.getStart(source, true), member.getStart())
    const type = `${comment}export type ${alias.name.text} = ${member.type.getText()};`
    edits.push([member.getStart(source, true), member.end, `${name}: ${alias.name.text};`])
    edits.push([alias.getStart(), alias.end, type.replaceAll(/^ {8}/gm, '')])
  }
  const moved = edits
    .sort(([one], [other]) => other - one)
    .reduce((all, [from, to, by]) => all.slice(0, from) + by + all.slice(to), text)
    .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, (written, name: string) => names.get(name) ?? written)
  return { text: moved, names: [...INTERFACES, ...names.values()] }
}

/** What openapi-fetch takes. */
const INTERFACES = ['components', 'operations', 'paths']

/** The values that the contract names of each open enumeration, without the text that it also may be. */
const knownTypes = (document: Json): Map<string, string> =>
  new Map(
    Object.entries<Json>(document.components.schemas)
      .filter(([, schema]) => schema['x-extensible-enum'])
      .map(([name, schema]) => {
        const values = schema['x-extensible-enum'].map((value: string) => `'${value}'`).join(' | ')
        const doc = `/** A value of {@link ${name}} that the contract names; others may come. */`
        return [`Known${name}`, `${doc}\nexport type Known${name} = ${values};\n`]
      }),
  )

/** Without "additionalProperties: true", whose index signature would let a misspelt property compile. */
const closed = (document: Json): Json =>
  JSON.parse(
    JSON.stringify(document, (key, value) => (key === 'additionalProperties' && value === true ? undefined : value)),
  )

/** `'a' | 'b' | (string & {})`: an editor completes the known values, and new ones compile. */
const openEnumeration = (values: string[]): ts.TypeNode =>
  ts.factory.createUnionTypeNode([
    ...values.map((value) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(value))),
    ts.factory.createParenthesizedType(
      ts.factory.createIntersectionTypeNode([
        ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
        ts.factory.createTypeLiteralNode([]),
      ]),
    ),
  ])
