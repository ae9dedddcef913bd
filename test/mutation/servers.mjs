import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Starts what `npm test` starts once for all tests; the answer stops it. Tests find it by the environment. */
export async function startServers(root) {
  Object.assign(process.env, { TEST_SERVERS: 'yes', TEST_NEEDS_SERVERS: 'yes', TEST_TIER: 'quick' })
  const fromJest = createRequire(createRequire(join(root, 'package.json')).resolve('jest/package.json'))
  const fromCore = createRequire(fromJest.resolve('@jest/core'))
  const config = join(root, 'test/jest.config.mjs')
  const { globalConfig, projectConfig } = await fromCore('jest-config').readConfig(
    { $0: '', _: [], config },
    root,
  )
  const transformer = await fromCore('@jest/transform').createScriptTransformer(projectConfig)
  const run = file =>
    transformer.requireAndTranspileModule(file, async run => await run(globalConfig, projectConfig))
  await run(projectConfig.globalSetup ?? globalConfig.globalSetup)
  return () => run(projectConfig.globalTeardown ?? globalConfig.globalTeardown)
}
