import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { Contract, Json } from '../contract/index.js'
import { banner } from './text.js'

/**
 * The types of the contract that the main entry exports: schemas by name, and what openapi-fetch takes. The names that
 * openapi-typescript derives of parameters, responses and headers are in `./types` only.
 */
export function emitNamedTypes(types: string): string {
  const names = [...types.matchAll(/^export (?:interface|type) ([\w$]+)(?: = (.*))?/gm)]
    .filter(([, name = '', value = '']) => !/^(webhooks|\$defs)$/.test(name) && !/^components\['/.test(value))
    .map(([, name = '']) => name)
  return `${banner()}export type {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './types.js'\n`
}

/** The types of openapi-typescript, with the schemas as named types and with open enumerations. */
export async function emitTypes({ document }: Contract): Promise<string> {
  const nodes = await openapiTS(closed(document), {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    transform: (schema) => {
      const values = (schema as { 'x-extensible-enum'?: string[] })['x-extensible-enum']
      return values && openEnumeration(values)
    },
  })
  return [banner() + named(astToString(nodes)), ...knownTypes(document)].join('\n')
}

/**
 * Moves each schema into the named type that openapi-typescript derives from it: only a type that is written out under its
 * name is called so in hovers and in messages of the compiler.
 */
function named(text: string): string {
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest, true)
  const components = source.statements.find(
    (each): each is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(each) && each.name.text === 'components',
  )
  const schemas = components?.members.find((each) => each.name?.getText() === 'schemas')
  if (!schemas || !ts.isPropertySignature(schemas) || !schemas.type || !ts.isTypeLiteralNode(schemas.type)) return text
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
  return edits
    .sort(([one], [other]) => other - one)
    .reduce((all, [from, to, by]) => all.slice(0, from) + by + all.slice(to), text)
    .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, (written, name: string) => names.get(name) ?? written)
}

/** The values that the contract names of each open enumeration, without the text that it also may be. */
const knownTypes = (document: Json): string[] =>
  Object.entries<Json>(document.components.schemas)
    .filter(([, schema]) => schema['x-extensible-enum'])
    .map(
      ([name, schema]) =>
        `/** A value of {@link ${name}} that the contract names; others may come. */\nexport type Known${name} = ${schema['x-extensible-enum'].map((value: string) => `'${value}'`).join(' | ')};\n`,
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
