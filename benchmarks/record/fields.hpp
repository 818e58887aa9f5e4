// Reading a JSON file field by field, so that a broken file is told what is wrong with it, and where.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tutti::bench::record {

/// A place in a file: "rows[3].median". Every reader throws std::runtime_error that names the file and the
/// place when what is there is missing or of another kind. Refers to the document, which must live longer.
class Place {
public:
    /// The whole of a document that was read from `file`.
    Place(const nlohmann::json& document, std::string file);

    Place operator[](const char* name) const;
    /// False also where there is null: what could not be measured.
    bool has(const char* name) const;
    std::vector<Place> elements() const;
    /// The members of an object, with their names.
    std::vector<std::pair<std::string, Place>> members() const;

    double number() const;
    int integer() const;
    bool boolean() const;
    std::string text() const;
    std::vector<std::string> texts() const;
    std::vector<double> numbers() const;
    /// The members of an object whose values are texts, or numbers, in the order of their names.
    std::vector<std::pair<std::string, double>> named_numbers() const;

    std::optional<double> number_if_any(const char* name) const;
    std::optional<bool> boolean_if_any(const char* name) const;
    /// "" where there is none.
    std::string text_if_any(const char* name) const;
    std::vector<std::string> texts_if_any(const char* name) const;

    [[noreturn]] void complain(const std::string& what) const;
    const nlohmann::json& value() const { return *value_; }

private:
    Place(const nlohmann::json* value, std::string file, std::string where);

    const nlohmann::json* value_;
    std::string file_;
    std::string where_;  // empty: the document
};

/// The document in `file`. Throws std::runtime_error that names the file.
nlohmann::json read_json(const std::string& file);

}  // namespace tutti::bench::record
