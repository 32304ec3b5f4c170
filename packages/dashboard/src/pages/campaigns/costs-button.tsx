import { Coins } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { INPUT_CLASSES } from '../../ui/field.tsx';
import { CostImports } from './cost-imports.tsx';
import { CostsFile } from './costs-file.tsx';
import { type ChosenFile, columnsIn } from './import-costs.ts';

/** Imports costs from a file, after a look at what it would bring. */
export function CostsButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Coins aria-hidden="true" />} onClick={() => setOpen(true)}>
        Costs
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Costs"
        description="A CSV file as Google Ads, Meta or Microsoft export it, or with any columns for the date, the campaign and the amount."
        width="wide"
      >
        <CostsForm />
      </Dialog>
    </>
  );
}

function CostsForm() {
  const [chosen, setChosen] = useState<ChosenFile>();
  const [imports, setImports] = useState(0);

  async function choose(file: File | undefined) {
    setChosen(file && { id: crypto.randomUUID(), file, columns: await columnsIn(file) });
  }

  return (
    <div className="grid gap-5">
      <label className="grid gap-1.5 text-[0.8125rem] font-medium">
        File
        <input
          // A new key empties the input after an import.
          key={imports}
          type="file"
          accept=".csv,text/csv"
          onChange={(event) => choose(event.target.files?.[0])}
          className={classes(
            INPUT_CLASSES,
            'h-auto py-1.5 pl-1.5 font-normal file:mr-3 file:rounded-md file:bg-sunken file:px-3 file:py-1 file:font-medium sm:h-auto',
          )}
        />
      </label>
      {chosen !== undefined && (
        <CostsFile
          key={chosen.id}
          chosen={chosen}
          onImported={() => {
            setChosen(undefined);
            setImports((count) => count + 1);
          }}
        />
      )}
      <CostImports />
    </div>
  );
}
