//! Vectors of a model: here the built-in table, or any numbers of yours under the model's name.

use memlith::{
    Caller, CheckoutRequest, Ledger, Options,
    write::{Embedder, ModelId, ModelVector, StaticTable},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let ledger = Ledger::create(folder.path().join("ledger"), Options::default())?;
    let ana = Caller::user("default", "ana");
    let table = StaticTable::built_in();
    let vector = |text: &str| -> Result<ModelVector, Box<dyn std::error::Error>> {
        let vector = table.embed(&[text])?.remove(0).ok_or("the table knows no word of it")?;
        Ok(ModelVector::of_vector(table.model(), &vector).ok_or("a vector of nothing")?)
    };

    let text = "The car is parked behind the house.";
    let car = ledger.vectors().remember(&ana, text, &vector(text)?)?.id;
    let text = "Rent is due on the first of the month.";
    assert!(ledger.vectors().remember(&ana, text, &vector(text)?)?.is_in_force());

    // The vector finds what shares no word with the question, and re-scores what does.
    let query = "automobile";
    let request = CheckoutRequest::new(query).vector(vector(query)?);
    let by_vector = ledger.checkout(&ana, request)?.pack;
    assert_eq!(by_vector.items.first().map(|item| item.id), Some(car));

    // Numbers of any model, as it gives them; vectors of two models are never compared.
    let mine =
        ModelVector::of_floats(ModelId::new("my-model").ok_or("no name")?, &[0.1, -0.7, 0.2])?;
    assert_eq!(ledger.vectors().embed(&ana, &[(car, mine)])?.written.len(), 1);
    Ok(())
}
