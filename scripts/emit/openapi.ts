import { stringify } from 'yaml'
import type { Contract } from '../contract/index.js'

/** YAML 1.1 readers, such as Ruby's and PyYAML, take an unquoted 2026-11-21 for a date. */
export const YAML_OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const

/** The document in one piece: for Prism, for other generators and for readers. */
export const emitYaml = ({ document }: Pick<Contract, 'document'>): string =>
  `# Generated from openapi/ by \`npm run build\`. Edit that, not this.\n${stringify(document, YAML_OPTIONS)}`

/** For programs: readers have the YAML, and a document in one line is a tenth smaller when it is packed. */
export const emitJson = ({ document }: Pick<Contract, 'document'>): string => `${JSON.stringify(document)}\n`
