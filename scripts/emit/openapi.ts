import { stringify } from 'yaml'
import type { Contract } from '../contract/index.js'

/** The document in one piece: for Prism, for other generators and for readers. */
export const emitYaml = ({ document }: Contract): string =>
  `# Generated from openapi/ by \`npm run build\`. Edit that, not this.\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`

export const emitJson = ({ document }: Contract): string => `${JSON.stringify(document, null, 2)}\n`
