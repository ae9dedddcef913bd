import { useState } from 'react'
import { Field } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { Success } from '../../pieces/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { addEntry, readEntries } from '../entries.js'
import { EntryTable } from './entry-table.js'
import { Permitted } from './permitted.js'

export function DataPage() {
  const [entries, setEntries] = useState(readEntries)
  const [added, setAdded] = useState('')
  return (
    <Page title="Data">
      <Permitted permission="dataEntry">
        <Section title="New entry">
          <Form
            submit="Add the entry"
            send={async ({ what = '', amount = '' }, form) => {
              addEntry({ what, amount: Number(amount) })
              setEntries(readEntries())
              setAdded(what)
              form.reset()
            }}
          >
            {added && <Success>“{added}” is added.</Success>}
            <Field label="What" name="what" required maxLength={100} />
            <Field label="Amount" name="amount" type="number" step="any" required />
          </Form>
        </Section>
        <Section title="Entries">
          <EntryTable entries={entries} />
        </Section>
      </Permitted>
    </Page>
  )
}
