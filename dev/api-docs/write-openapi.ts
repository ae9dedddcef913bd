import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../../src/platform/config/package-root.js'
import { readSettings } from '../../src/platform/config/read-settings.js'
import { pageWithSection } from '../generated-section.js'
import { CLIENT_TYPES_FILE, clientTypesOf } from './client-types.js'
import { previewOpenApi } from './document.js'
import { ENDPOINTS, endpointsTable } from './endpoints-table.js'

const FILE = 'docs/openapi.json'

const document = JSON.parse(JSON.stringify(await previewOpenApi(readSettings())))
await writeFile(join(PACKAGE_ROOT, FILE), `${JSON.stringify(document, null, 2)}\n`)
await writeFile(join(PACKAGE_ROOT, CLIENT_TYPES_FILE), clientTypesOf(document))
const endpoints = await pageWithSection(ENDPOINTS, endpointsTable(document))
await writeFile(join(PACKAGE_ROOT, ENDPOINTS.path), endpoints)
console.log(`${FILE}, ${ENDPOINTS.path} and ${CLIENT_TYPES_FILE} are written`)
