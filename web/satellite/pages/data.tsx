import { useState } from 'react'
import { Field } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { t } from '../../pieces/language/t.js'
import { Success } from '../../pieces/notices/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { addEntry, readEntries } from '../entries.js'
import { EntryTable } from './entry-table.js'
import { Permitted } from './permitted.js'

export function DataPage({ userId }: { readonly userId: string }) {
  const [entries, setEntries] = useState(() => readEntries(userId))
  const [added, setAdded] = useState('')
  return (
    <Page title={t('satellite.data')}>
      <Permitted permission="dataEntry">
        <Section title={t('entries.new')}>
          <Form
            submit={t('entries.submit')}
            send={async ({ what = '', amount = '' }, form) => {
              addEntry(userId, { what, amount: Number(amount) })
              setEntries(readEntries(userId))
              setAdded(what)
              form.reset()
            }}
          >
            {added && <Success>{t('entries.added', { added })}</Success>}
            <Field label={t('entries.what')} name="what" required maxLength={100} />
            <Field label={t('entries.amount')} name="amount" type="number" step="any" required />
          </Form>
        </Section>
        <Section title={t('entries.title')}>
          <EntryTable entries={entries} />
        </Section>
      </Permitted>
    </Page>
  )
}
