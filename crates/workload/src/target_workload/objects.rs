//! The tables, procedures and sequences of a workload: each is noted before it is made, so that what dbdyno made is
//! known, and nothing else is touched.

use super::TargetWorkload;
use crate::DataSpec;
use crate::dialect::SchemaObject;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::{Meta, kept_entry};
use dbdyno_model::ErrorClass;

impl TargetWorkload<'_> {
    /// Makes an object. It is noted before, so that a load that is killed leaves nothing that nobody knows. Where the
    /// database has refused to make it, the note is taken back, because the object of that name is somebody else's.
    pub(super) fn make_object(&self, object: &SchemaObject<'_>) -> Result<(), EngineError> {
        let entry = kept_entry(object.kind, object.name());
        let value = match (object.columns, object.hidden) {
            ("", _) => "1".to_owned(),
            (columns, "") => columns.to_owned(),
            (columns, hidden) => format!("{columns} {hidden}"),
        };
        self.engine.note(&[(entry.clone(), value)])?;
        self.run(std::slice::from_ref(&object.sql)).map_err(|error| {
            let error = error.while_doing(&format!("making the {} {}", object.kind, object.sql_name));
            if !error.undone {
                // It may be there, and then it is ours.
                return error;
            }
            match self.engine.note(&[(entry, String::new())]) {
                Err(other) => other.while_doing(&error.to_string()),
                Ok(()) => error,
            }
        })
    }

    /// Whether all of its tables exist.
    pub(super) fn have_tables(&self, objects: &[SchemaObject<'_>]) -> Result<bool, EngineError> {
        for table in objects.iter().filter(|object| object.kind == "table") {
            if !self.exists(&table.sql_name)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses a table with one of our names that no earlier load made: it is not noted, or has other columns. For a
    /// procedure with one of our names, the statement that makes ours fails and says so.
    pub(super) fn refuse_foreign(&self, object: &SchemaObject<'_>, meta: &Meta) -> Result<(), EngineError> {
        let SchemaObject { kind, sql_name, columns, .. } = object;
        if *kind != "table"
            || !self.exists(sql_name)?
            || (meta.keeps(kind, object.name()) && self.has_columns(sql_name, columns)?)
        {
            return Ok(());
        }
        Err(EngineError::other(format!(
            "the target holds the table {sql_name}, which dbdyno did not make and whose name {} needs; rename it or drop it yourself",
            self.name()
        )))
    }

    /// Drops an object that an earlier load noted.
    pub(super) fn drop_object(&self, object: &SchemaObject<'_>) -> Result<(), EngineError> {
        let SchemaObject { kind, sql_name, .. } = object;
        match self.run(&[format!("DROP {} {sql_name}", kind.to_uppercase())]) {
            // A load notes an object before it makes it. If it was killed between the two, there is nothing to drop.
            Err(error) if *kind != "table" || error.class == ErrorClass::UnknownObject => Ok(()),
            done => done,
        }
    }

    fn exists(&self, table: &str) -> Result<bool, EngineError> {
        match self.run(&[format!("SELECT 1 FROM {table} WHERE 1 = 0")]) {
            Ok(()) => Ok(true),
            Err(error) if error.class == ErrorClass::UnknownObject => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a table has exactly these columns.
    fn has_columns(&self, table: &str, columns: &str) -> Result<bool, EngineError> {
        let columns = columns.replace(' ', ", ");
        let both = format!("SELECT {columns} FROM {table} WHERE 1 = 0 UNION ALL SELECT * FROM {table} WHERE 1 = 0");
        match self.run(&[both]) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Other) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Drops what a load has made, and forgets it.
    ///
    /// # Errors
    /// The engine's error.
    pub fn remove(&self, data: &DataSpec) -> Result<(), EngineError> {
        let (meta, objects) = (self.engine.books()?, self.dialect.objects(data)?);
        for object in objects.iter().filter(|object| meta.keeps(object.kind, object.name())) {
            self.drop_object(object)?;
            self.engine.note(&[(kept_entry(object.kind, object.name()), String::new())])?;
        }
        self.engine.note(&[(self.entry(), String::new()), (self.indexes_entry(), String::new())])
    }

    /// Makes its procedures anew, because what they do now is not known: somebody may have replaced them since the
    /// load.
    ///
    /// # Errors
    /// The engine's error.
    pub fn renew_procedures(&self, data: &DataSpec) -> Result<(), EngineError> {
        let objects = self.dialect.objects(data)?;
        objects.iter().filter(|object| object.kind == "procedure").try_for_each(|procedure| {
            let name = &procedure.sql_name;
            // It may be gone. If it may not be dropped, it cannot be made either, and that is why.
            let dropped = self.run(&[format!("DROP PROCEDURE {name}")]);
            let made = self.run(std::slice::from_ref(&procedure.sql)).map_err(|error| dropped.err().unwrap_or(error));
            made.map_err(|error| error.while_doing(&format!("making the procedure {name} anew")))
        })
    }
}
