import { relative } from 'node:path'
import OneRealm from '../runner/environment.mjs'

globalThis.__stryker__ ??= {}
/** What the mutants look at: which of them is active, and whom to count a visit for. */
export const mutants = globalThis.__stryker__

/** A test's name among those of all files. */
export const testId = (file, name) => `${file} ${name}`

/** Stands for the hooks of a file, which run for each of its tests. */
export const hooksId = file => testId(file, '(hooks)')

/** Says whom what is running counts for, and ends a file at its first failure: a mutant is noticed once. */
export default class MutationEnvironment extends OneRealm {
  constructor(config, context) {
    super(config, context)
    this.file = relative(config.projectConfig.rootDir, context.testPath)
  }

  handleTestEvent(event, state) {
    super.handleTestEvent(event, state)
    const { name, test } = event
    if (name === 'test_start') mutants.currentTestId = testId(this.file, fullName(test))
    if (name === 'run_start' || name === 'test_done') mutants.currentTestId = hooksId(this.file)
    if (name === 'run_finish') mutants.currentTestId = undefined
    if (name === 'test_done' && test.errors.length > 0 && mutants.activeMutant)
      skipAll(state.rootDescribeBlock)
  }
}

function fullName({ name, parent }) {
  return parent?.parent ? `${fullName(parent)} ${name}` : name
}

function skipAll({ children }) {
  for (const child of children) {
    if (child.type === 'test') child.mode = 'skip'
    else skipAll(child)
  }
}
