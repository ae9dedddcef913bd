import { createRequire, isBuiltin } from 'node:module'
import Runtime from 'jest-runtime'

/** Packages are loaded once in each worker, by Node itself; our own code anew for each test file. */
export default class SharingRuntime extends Runtime {
  requireModuleOrMock(from, name) {
    return isPackage(name) ? createRequire(from)(name) : super.requireModuleOrMock(from, name)
  }
}

function isPackage(name) {
  return !/^[./]/.test(name) && !isBuiltin(name) && name !== '@jest/globals'
}
