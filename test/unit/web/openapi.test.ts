import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { previewOpenApi } from '../../../dev/api-docs/preview.js'
import { readSettings } from '../../../src/config/read-settings.js'

it('docs/openapi.json is what the code says (npm run openapi writes it anew)', async () => {
  const document = await previewOpenApi(readSettings({ NODE_ENV: 'test' }))
  expect(JSON.parse(await readFile('docs/openapi.json', 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(document)),
  )
})
