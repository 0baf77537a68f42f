import { behaves } from '../react-native/behaves.js'

// The last one whose addresses have no parts, and the newest: npm run test:react-native tries those between them too.
for (const version of ['0.79.7', '0.88.1']) behaves(version)
