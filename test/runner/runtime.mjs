import { createRequire, isBuiltin } from 'node:module'
import { join, sep } from 'node:path'
import Runtime from 'jest-runtime'

/** Ours, and without state of its own: what a test changes in it, it mocks, and mocks end with the file. */
const SHARED_FOLDERS = ['src', 'dev', 'packages']

/** The exports of our own modules, by path. */
const loaded = new Map()
/** The runtime of the test file that is running: those of earlier ones load nothing any more. */
let current

/** Loads packages and our own code once in each worker; only what is under test/ is loaded anew for each file. */
export default class SharingRuntime extends Runtime {
  constructor(config, ...others) {
    super(config, ...others)
    this.sharedFolders = SHARED_FOLDERS.map(folder => join(config.rootDir, folder) + sep)
    current = this
  }

  requireModuleOrMock(from, name) {
    if (isBuiltin(name) || name === '@jest/globals') return current.load(from, name)
    if (!/^([./]|@mainstay-auth\/)/.test(name)) return createRequire(from)(name)
    const path = this._resolution.resolveCjs(from, name)
    if (!this.sharedFolders.some(folder => path.startsWith(folder)))
      return super.requireModuleOrMock(from, name)
    // For its file alone, whatever others have loaded.
    if (current.mockState.shouldMockCjs(from, name).shouldMock) return current.load(from, name)
    if (!loaded.has(path)) loaded.set(path, current.load(from, name))
    return loaded.get(path)
  }

  /** Modules that import each other meet half loaded in the registry of the runtime that loads them. */
  load(from, name) {
    return super.requireModuleOrMock(from, name)
  }
}
